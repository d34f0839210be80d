import { type FrozenProduction } from '../../contracts/frozen';
import { type FilmPlan, type FilmReason } from '../../contracts/render-plan';
import { chosenTakeOf, type ProductionStatus } from '../../contracts/status';
import { canonicalJson, type FilmClip, leftBy, type TakeHistory, wantedFilm, type WantedFilm } from '../../store';
import { type UnpricedShot } from './plan-shots';

/** Stands for the hash of a clip that is not there yet. */
const TO_COME = '';

/** The film that a render would leave, as far as its clips are known; undefined if there is none to put together. */
export function filmToBe(
  production: FrozenProduction,
  shots: readonly UnpricedShot[],
  takes: ReadonlyMap<string, readonly TakeHistory[]>,
): WantedFilm | undefined {
  const outputs = new Map(production.shots.map(({ id, model }) => [id, model.output]));
  const clips = shots.flatMap(({ shot, action, take }): FilmClip[] => {
    if (action === 'skipped') return [];
    const history = action === 'reused' ? takes.get(shot)?.find((one) => one.take === take) : undefined;
    const asset = history && leftBy(history)?.asset;
    if (asset === undefined) return outputs.get(shot) === 'video' ? [{ shotId: shot, sha256: TO_COME }] : [];
    return asset.mediaType.startsWith('video/') ? [{ shotId: shot, sha256: asset.sha256 }] : [];
  });
  return clips.length === 0 ? undefined : wantedFilm(production, clips);
}

/** The film with which a production ended. */
export function filmThatIs(production: FrozenProduction, { shots }: ProductionStatus): WantedFilm | undefined {
  const clips = shots.flatMap((shot): FilmClip[] => {
    const asset = shot.state === 'completed' ? chosenTakeOf(shot)?.asset : undefined;
    return asset?.mediaType.startsWith('video/') === true ? [{ shotId: shot.id, sha256: asset.sha256 }] : [];
  });
  return wantedFilm(production, clips);
}

/** A shot that nobody left out and that will not be rendered: a film is not put together without it. */
export function isMissing({ action }: Pick<UnpricedShot, 'action'>): boolean {
  return action === 'failed' || action === 'blocked';
}

export function isKnownWhole({ clips }: WantedFilm): boolean {
  return clips.every(({ sha256 }) => sha256 !== TO_COME);
}

/**
 * Whether the film is reused, and if not, what makes it another than the one that is.
 *
 * @param isThere the film of just this is in the store.
 * @param before the film with which the production last ended; undefined if it ended without.
 */
export function planFilm(film: WantedFilm | undefined, isThere: boolean, before: WantedFilm | undefined): FilmPlan {
  if (film === undefined) return { action: 'none', because: [] };
  if (isThere) return { action: 'reused', because: [] };
  if (before === undefined) return { action: 'anew', because: ['none'] };
  const because = differences(before, film);
  return { action: 'anew', because: because.length === 0 ? ['lost'] : because };
}

/** What each reason is about. Together they are all of a film, so that what is the same in each is the same film. */
const ASPECTS: Readonly<Partial<Record<FilmReason, (film: WantedFilm) => unknown>>> = {
  clips: ({ clips }) => clips.map(({ caption: _caption, transition: _transition, ...clip }) => clip),
  captions: ({ clips, captions }) => [
    Object.fromEntries(clips.map(({ chapter, caption }) => [chapter, caption])),
    captions,
  ],
  transition: ({ transition, clips }) => [
    transition,
    Object.fromEntries(clips.map((clip) => [clip.chapter, clip.transition])),
  ],
  title: ({ title, metadataTitle }) => [title, metadataTitle],
  music: ({ music }) => music,
  subtitles: ({ subtitles, subtitlesLanguage }) => [subtitles, subtitlesLanguage],
  output: ({ output }) => output,
};

function differences(before: WantedFilm, after: WantedFilm): FilmReason[] {
  const differing = Object.entries(ASPECTS).filter(
    ([, of]) => canonicalJson([of(before)]) !== canonicalJson([of(after)]),
  );
  return differing.map(([reason]) => reason as FilmReason);
}
