import { TransitionInFile } from '../../../contracts/file/assembly';
import { carriedFrame } from '../../../contracts/file/frame-links';
import { type FrozenTransition } from '../../../contracts/render/frozen';
import { type ShotCheck } from './shot-check';
import { type Finding, wrongKey, wrongValue } from '../../wording/finding';
import { shown } from '../../wording/phrases';

/** Long enough to see the fade, and short enough for clips of four seconds. */
const CROSSFADE_SECONDS = 0.5;

const CUT: FrozenTransition = { kind: 'cut' };

/** The parts of a shot that the film times and the checks of transitions need. */
export type FilmShot = Pick<
  ShotCheck,
  'id' | 'path' | 'written' | 'merged' | 'model' | 'nested' | 'clipSeconds' | 'shot'
>;

export function transitionOf(written: TransitionInFile): FrozenTransition {
  if (written === 'cut') return { kind: 'cut' };
  return { kind: 'crossfade', seconds: written === 'crossfade' ? CROSSFADE_SECONDS : written.crossfade };
}

/** A shot's own transition; undefined if it is absent or invalid. The schema check reports an invalid transition. */
export function writtenTransition(values: Readonly<Record<string, unknown>>): FrozenTransition | undefined {
  const written = TransitionInFile.safeParse(values['transition']);
  return written.success ? transitionOf(written.data) : undefined;
}

/** If the length of a clip is unknown, all later start times and the film's length are null. */
export interface FilmTimes {
  readonly shots: readonly { readonly id: string; readonly startSeconds: number | null }[];
  readonly seconds: number | null;
}

export function filmTimes(film: FrozenTransition, shots: readonly FilmShot[]): FilmTimes {
  const inFilm = shotsInFilm(shots);
  const starts: { id: string; startSeconds: number | null }[] = [];
  let at: number | null = 0;
  for (const [index, shot] of inFilm.entries()) {
    const before = inFilm[index - 1];
    const joint = before === undefined || goesOn(shot, before) ? CUT : (writtenTransition(shot.merged) ?? film);
    if (at !== null && joint.kind === 'crossfade') at -= joint.seconds;
    starts.push({ id: shot.id ?? '', startSeconds: at });
    at = at === null || shot.clipSeconds === null ? null : at + shot.clipSeconds;
  }
  return { shots: starts, seconds: at };
}

/** Errors in the film's transition and in the transitions of single shots. */
export function transitionFindings(film: FrozenTransition, shots: readonly FilmShot[]): readonly Finding[] {
  const inFilm = shotsInFilm(shots);
  return [
    ...filmFindings(film, inFilm),
    ...inFilm.flatMap((shot, index) => jointFindings(shot, inFilm[index - 1])),
    ...shots
      .filter((shot) => !inFilm.includes(shot) && 'transition' in shot.written)
      .map((shot) =>
        refused(shot, `shot ${shown(shot.id)} makes no video, so it is not in the film; remove transition`),
      ),
  ];
}

/**
 * Checks the film's crossfade against the shortest clip that begins or ends with it. A film of one clip is checked too.
 */
function filmFindings(film: FrozenTransition, shots: readonly FilmShot[]): readonly Finding[] {
  if (film.kind === 'cut') return [];
  const beginsWithIt = (index: number): boolean => {
    const [before, shot] = [shots[index - 1], shots[index]];
    if (before === undefined || shot === undefined) return false;
    return !('transition' in shot.written) && !goesOn(shot, before);
  };
  const clips = shots.flatMap(({ id, clipSeconds }, index) => {
    const isChecked = shots.length === 1 || beginsWithIt(index) || beginsWithIt(index + 1);
    return clipSeconds === null || !isChecked ? [] : [{ id, clipSeconds }];
  });
  const shortest = clips.sort((a, b) => a.clipSeconds - b.clipSeconds)[0];
  if (shortest === undefined || film.seconds <= shortest.clipSeconds / 2) return [];
  const message = `a crossfade of ${film.seconds} s is longer than half of the shortest clip (shot ${shown(shortest.id)}, ${shortest.clipSeconds} s); allowed are at most ${shortest.clipSeconds / 2} s`;
  return [wrongValue(['assembly', 'transition', 'crossfade'], message)];
}

function jointFindings(shot: FilmShot, before: FilmShot | undefined): readonly Finding[] {
  if (!('transition' in shot.written)) return [];
  if (before === undefined) {
    const message = `the film begins with shot ${shown(shot.id)}, so no shot comes before it; remove transition, or set it in a later shot`;
    return [refused(shot, message)];
  }
  const own = writtenTransition(shot.written);
  if (own?.kind !== 'crossfade') return [];
  if (goesOn(shot, before)) {
    const message = `shot ${shown(shot.id)} goes on from the last frame of ${shown(before.id)}, and such a join is always a cut; remove transition, or write cut`;
    return [wrongValue([...shot.path, 'transition'], message)];
  }
  const clips = [before, shot].flatMap(({ id, clipSeconds }) => (clipSeconds === null ? [] : [{ id, clipSeconds }]));
  const shorter = clips.sort((a, b) => a.clipSeconds - b.clipSeconds)[0];
  if (shorter === undefined || own.seconds <= shorter.clipSeconds / 2) return [];
  const message = `a crossfade of ${own.seconds} s is longer than half of the shorter of its two clips (shot ${shown(shorter.id)}, ${shorter.clipSeconds} s); allowed are at most ${shorter.clipSeconds / 2} s`;
  return [wrongValue([...shot.path, 'transition', 'crossfade'], message)];
}

function shotsInFilm(shots: readonly FilmShot[]): readonly FilmShot[] {
  return shots.filter(({ nested, model }) => nested === undefined && (model?.output ?? 'video') === 'video');
}

function goesOn({ shot }: FilmShot, before: FilmShot): boolean {
  return shot !== undefined && carriedFrame(shot)?.shot === before.id;
}

function refused({ path }: FilmShot, message: string): Finding {
  return wrongKey([...path, 'transition'], message);
}
