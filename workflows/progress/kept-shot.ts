import { exactCredits } from '../../contracts/credits';
import { chosenTakeOf, type EarlierTakes, type ShotStatus, waitsForPersonSince } from '../../contracts/status';
import type { TakeProgress } from '../../contracts/take';
import type { CarriedShot } from '../../contracts/carried-production';
import type { ShotProgress } from '../../contracts/workflows';
import { nowMs } from '../temporal/clock';
import type { ShotStanding } from './plan';

/**
 * Most takes that are kept of a shot, for each of those side by side: itself, and one that failed before it. People may
 * have any number made.
 */
const KEPT_OF_EACH = 2;

/** The gateway's own words may be pages long, and those of all shots travel together. */
const LONGEST_REASON = 1_000;

/** A shot of a running production, as its production keeps it. */
export type KeptShot = { -readonly [Field in keyof Omit<ShotStatus, 'earlier'>]: ShotStatus[Field] } & {
  /** Its child workflow, from the start to the end. */
  run: ShotRun | null;
  /** The takes that are not kept any more, by number, with what each was charged. */
  earlier: ReadonlyMap<number, number | null>;
};

interface ShotRun {
  /** Null until it is known to have begun. */
  id: string | null;
  isWanted: boolean;
  waitsForBudget: boolean;
  /** What was told last before that, by this run or by an older one that is still there; of an adopted one, always. */
  heard: ShotProgress | null;
  /** Whether an earlier history of the production has begun it: its end is told by a signal. */
  readonly isAdopted: boolean;
  /** Whether an older run is left to end first, and nothing else is under way. */
  isPaused: boolean;
}

/** A run that is about to begin. */
export function newRun(): ShotRun {
  return { id: null, isWanted: true, waitsForBudget: false, heard: null, isAdopted: false, isPaused: false };
}

/** As the next history of the production takes it over. */
export function carriedShot({ earlier, run, ...shot }: KeptShot): CarriedShot {
  const carried = run === null ? null : { id: run.id, isWanted: run.isWanted, waitsForBudget: run.waitsForBudget };
  return { ...shot, earlier: [...earlier], run: carried };
}

export function adoptedShot({ earlier, run, ...shot }: CarriedShot): KeptShot {
  const isAdopted = run?.id != null;
  return { ...shot, earlier: new Map(earlier), run: run === null ? null : { ...newRun(), ...run, isAdopted } };
}

/** How a shot stands that nobody has begun with. */
export const PENDING = {
  state: 'pending',
  reason: null,
  parked: null,
  review: null,
  filmTake: null,
  startedAt: null,
  endedAt: null,
  waitedSeconds: 0,
} as const satisfies Partial<ShotStatus>;

/** Nothing that anybody waits for. */
export const NO_WAIT = { parked: null, review: null } as const;

/** A choice that waits for an approval is none for what starts on it. */
export function standing(shot: KeptShot): ShotStanding {
  const { state } = shot;
  const take = state === 'completed' || state === 'rendering' ? chosenTakeOf(shot) : undefined;
  return { state, waitsForBudget: shot.run?.waitsForBudget === true, ...(take === undefined ? {} : { take }) };
}

/**
 * Takes over what is new of a shot's takes. Of those that are not asked for any more, and of all beyond a few, only the
 * charge is kept.
 *
 * @param news.sideBySide as planned. @param news.isAll whether the run has told of every take that it knows.
 */
export function noteTakes(
  shot: KeptShot,
  { takes, sideBySide, isAll }: { takes: readonly TakeProgress[]; sideBySide: number; isAll: boolean },
): void {
  const before = shot.takes.filter((known) => !takes.some(({ take }) => take === known.take));
  const isOver = isAll && takes.length > 0;
  const asked = [...(isOver ? [] : before), ...takes];
  const extra = asked
    .filter(({ take, state }) => take !== shot.filmTake && (state === 'failed' || state === 'completed'))
    .toSorted((a, b) => Number(a.state === 'completed') - Number(b.state === 'completed') || a.take - b.take)
    .slice(0, Math.max(0, asked.length - KEPT_OF_EACH * sideBySide));
  shot.takes = asked.filter((take) => !extra.includes(take));
  const earlier = [...(isOver ? before : []), ...extra].map(({ take, credits }) => [take, credits] as const);
  shot.earlier = new Map([...shot.earlier, ...earlier]);
  if (shot.earlier.size > 0) shot.earlier = withoutTakes(shot.earlier, shot.takes);
}

/** As the status tells it. */
export function toldShot({ run: _run, earlier, waitedSeconds = 0, ...shot }: KeptShot): ShotStatus {
  const waited = waitedSeconds === 0 ? {} : { waitedSeconds };
  return { ...shot, ...waited, ...(earlier.size === 0 ? {} : { earlier: countOf(earlier) }) };
}

/** Changes how a shot stands; where it has waited for a person until now, that is counted. */
export function changeShot(shot: KeptShot, change: Partial<ShotStatus>): void {
  const since = waitsForPersonSince(shot);
  Object.assign(shot, change);
  if (since === null || waitsForPersonSince(shot) === since) return;
  shot.waitedSeconds = (shot.waitedSeconds ?? 0) + Math.max(0, nowMs() - Date.parse(since)) / 1_000;
}

function countOf(earlier: KeptShot['earlier']): EarlierTakes {
  const charges = [...earlier.values()].filter((credits) => credits !== null);
  const credits = charges.length === 0 ? null : exactCredits(charges.reduce((sum, one) => sum + one, 0));
  return { takes: earlier.size, credits };
}

export function shortReason(reason: string | null): string | null {
  return reason === null || reason.length <= LONGEST_REASON ? reason : `${reason.slice(0, LONGEST_REASON)}…`;
}

/** One that was an earlier one may be asked for again. */
function withoutTakes(earlier: KeptShot['earlier'], kept: readonly TakeProgress[]): KeptShot['earlier'] {
  const numbers = new Set(kept.map(({ take }) => take));
  return new Map([...earlier].filter(([take]) => !numbers.has(take)));
}
