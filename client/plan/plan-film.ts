import { type FrozenProduction } from '../../contracts/render/frozen';
import { type FilmPlan, type FilmReason } from '../../contracts/render/render-plan';
import { chosenTakeOf, type ProductionStatus } from '../../contracts/status';
import {
  canonicalJson,
  type FilmClip,
  currentOutput,
  type TakeHistory,
  wantedFilm,
  type WantedFilm,
} from '../../store';
import { type UnpricedShot } from './plan-shots';

/** Placeholder for the hash of a clip that does not exist yet. */
const HASH_TO_COME = '';

/** The film after a render; undefined if there is none. Clips that do not exist yet have `HASH_TO_COME` as hash. */
export function plannedFilm(
  production: FrozenProduction,
  shots: readonly UnpricedShot[],
  takes: ReadonlyMap<string, readonly TakeHistory[]>,
): WantedFilm | undefined {
  const outputs = new Map(production.shots.map(({ id, model }) => [id, model.output]));
  const clips = shots.flatMap(({ shot, action, take }): FilmClip[] => {
    if (action === 'skipped') return [];
    const history = action === 'reused' ? takes.get(shot)?.find((one) => one.take === take) : undefined;
    const asset = history && currentOutput(history)?.asset;
    if (asset === undefined) return outputs.get(shot) === 'video' ? [{ shotId: shot, sha256: HASH_TO_COME }] : [];
    return asset.mediaType.startsWith('video/') ? [{ shotId: shot, sha256: asset.sha256 }] : [];
  });
  return clips.length === 0 ? undefined : wantedFilm(production, clips);
}

/**
 * The film of the shots that have completed; its list of clips may be empty. Undefined if the production has no
 * assembly.
 */
export function currentFilm(production: FrozenProduction, { shots }: ProductionStatus): WantedFilm | undefined {
  const clips = shots.flatMap((shot): FilmClip[] => {
    const asset = shot.state === 'completed' ? chosenTakeOf(shot)?.asset : undefined;
    return asset?.mediaType.startsWith('video/') === true ? [{ shotId: shot.id, sha256: asset.sha256 }] : [];
  });
  return wantedFilm(production, clips);
}

/** True if the shot will have no output although it was not skipped. Then no film is assembled. */
export function isMissing({ action }: Pick<UnpricedShot, 'action'>): boolean {
  return action === 'failed' || action === 'blocked';
}

export function areClipsKnown({ clips }: WantedFilm): boolean {
  return clips.every(({ sha256 }) => sha256 !== HASH_TO_COME);
}

/**
 * Plans whether the film is reused, and if not, how it differs from the last film.
 *
 * @param isStored whether this film is in the store.
 * @param before the film with which the production last ended; undefined if it had none.
 */
export function planFilm(film: WantedFilm | undefined, isStored: boolean, before: WantedFilm | undefined): FilmPlan {
  if (film === undefined) return { action: 'none', because: [] };
  if (isStored) return { action: 'reused', because: [] };
  if (before === undefined) return { action: 'anew', because: ['none'] };
  const because = differences(before, film);
  return { action: 'anew', because: because.length === 0 ? ['lost'] : because };
}

/** For each reason, the part of the film to compare. The parts cover the whole film. */
const PARTS: Readonly<Partial<Record<FilmReason, (film: WantedFilm) => unknown>>> = {
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
  const differing = Object.entries(PARTS).filter(
    ([, partOf]) => canonicalJson([partOf(before)]) !== canonicalJson([partOf(after)]),
  );
  return differing.map(([reason]) => reason as FilmReason);
}
