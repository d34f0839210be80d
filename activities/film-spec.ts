import { type AssetRef } from '../contracts/asset';
import { type FrozenCue } from '../contracts/frozen';
import { type FilmCue, type FilmSpec } from '../media';
import { type Store, type WantedFilm } from '../store';

/** The film with the paths of its files in this store. */
export function filmSpec({ assets }: Store, { clips, music, title, ...film }: WantedFilm): FilmSpec {
  const pathOf = ({ asset }: { readonly asset: AssetRef }): string => assets.localPath(asset);
  const withPath = ({ asset, ...cue }: FrozenCue): FilmCue => ({ ...cue, path: pathOf({ asset }) });
  return {
    ...film,
    clips: clips.map(({ sha256, ...clip }) => ({ ...clip, path: assets.localPath({ sha256 }) })),
    ...(music === undefined
      ? {}
      : { music: Array.isArray(music) ? music.map(withPath) : { path: pathOf(music), volumeDb: music.volumeDb } }),
    ...(title === undefined ? {} : { title }),
  };
}
