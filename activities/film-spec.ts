import { type FilmSpec } from '../media';
import { type Store, type WantedFilm } from '../store';

/** The film with its files where this store keeps them. */
export function filmSpec({ assets }: Store, { clips, music, title, ...film }: WantedFilm): FilmSpec {
  return {
    ...film,
    clips: clips.map(({ sha256, ...clip }) => ({ ...clip, path: assets.localPath({ sha256 }) })),
    ...(music === undefined ? {} : { music: { path: assets.localPath(music.asset), volumeDb: music.volumeDb } }),
    ...(title === undefined ? {} : { title }),
  };
}
