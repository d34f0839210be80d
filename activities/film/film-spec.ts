import { type FrozenCue } from '../../contracts/render/frozen';
import { type FilmCue, type FilmSpec } from '../../media';
import { type PathOf, type Store, type WantedFilm } from '../../store';

/** Calls `use` with the film and the paths of its files, which are only valid during the call. */
export function withFilmSpec<T>(
  { assets }: Pick<Store, 'assets'>,
  film: WantedFilm,
  use: (spec: FilmSpec) => Promise<T>,
): Promise<T> {
  const music = film.music === undefined ? [] : [film.music].flat().map(({ asset }) => asset);
  return assets.withLocalFiles([...film.clips, ...music], (pathOf) => use(specOf(film, pathOf)));
}

function specOf({ clips, music, title, ...film }: WantedFilm, pathOf: PathOf): FilmSpec {
  const withPath = ({ asset, ...cue }: FrozenCue): FilmCue => ({ ...cue, path: pathOf(asset) });
  return {
    ...film,
    clips: clips.map(({ sha256, ...clip }) => ({ ...clip, path: pathOf({ sha256 }) })),
    ...(music === undefined
      ? {}
      : {
          music: Array.isArray(music) ? music.map(withPath) : { path: pathOf(music.asset), volumeDb: music.volumeDb },
        }),
    ...(title === undefined ? {} : { title }),
  };
}
