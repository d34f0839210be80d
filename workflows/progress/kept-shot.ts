import { exactCredits } from '../../contracts/money/credits';
import { chosenTakeOf, type EarlierTakes, type ShotStatus, waitsForPersonSince } from '../../contracts/status';
import type { TakeProgress } from '../../contracts/render/take';
import type { CarriedShot } from '../../contracts/render/carried-production';
import type { ShotProgress } from '../../contracts/workflows';
import { nowMs } from '../temporal/clock';
import type { ShotFacts } from './plan';

/**
 * A shot keeps the details of at most this many takes, times the number of takes that the plan makes side by side. So
 * there is room for the present takes and as many failed ones. Without the limit, the state could grow without bound,
 * since people may request any number of takes.
 */
const KEPT_OF_EACH = 2;

/** The gateway's messages may be pages long, and the messages for all shots share one payload. */
const LONGEST_REASON = 1_000;

/** A shot as a running production keeps it. */
export type KeptShot = { -readonly [Field in keyof Omit<ShotStatus, 'earlier'>]: ShotStatus[Field] } & {
  /** Its child workflow; null if none is under way. */
  run: ShotRun | null;
  /** Charges of the takes that are no longer kept in detail, by take number; null if unknown. */
  earlier: ReadonlyMap<number, number | null>;
};

interface ShotRun {
  /** Null until the child is known to run. */
  id: string | null;
  isWanted: boolean;
  waitsForBudget: boolean;
  /**
   * If `isAdopted`: the child's last report. Otherwise: the last report that arrived before the child was known to run.
   * It may be from an earlier child of the same shot that has not ended yet.
   */
  heard: ShotProgress | null;
  /** True if the production started the run before continue-as-new. Then the run's end arrives by a signal. */
  readonly isAdopted: boolean;
  /** Whether the child cannot start yet, because an earlier child of the same shot has not ended. */
  isPaused: boolean;
}

export function newRun(): ShotRun {
  return { id: null, isWanted: true, waitsForBudget: false, heard: null, isAdopted: false, isPaused: false };
}

/** The state that continue-as-new passes on. */
export function carriedShot({ earlier, run, ...shot }: KeptShot): CarriedShot {
  const carried = run === null ? null : { id: run.id, isWanted: run.isWanted, waitsForBudget: run.waitsForBudget };
  return { ...shot, earlier: [...earlier], run: carried };
}

export function adoptedShot({ earlier, run, ...shot }: CarriedShot): KeptShot {
  const isAdopted = run?.id != null;
  return { ...shot, earlier: new Map(earlier), run: run === null ? null : { ...newRun(), ...run, isAdopted } };
}

/** State of a shot that was not started. */
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

/** State of a shot that does not wait for people. */
export const NO_WAIT = { parked: null, review: null } as const;

/** The facts for the plan. While a chosen take waits for approval, they name no take, so no linked shot starts. */
export function factsOf(shot: KeptShot): ShotFacts {
  const { state } = shot;
  const take = state === 'completed' || state === 'rendering' ? chosenTakeOf(shot) : undefined;
  return { state, waitsForBudget: shot.run?.waitsForBudget === true, ...(take === undefined ? {} : { take }) };
}

interface TakeNews {
  readonly takes: readonly TakeProgress[];
  readonly sideBySide: number;
  readonly isAll: boolean;
  readonly chosen?: number | null;
}

/**
 * Records news of a shot's takes.
 *
 * Of some takes, only the charges are kept afterwards: takes that a complete report no longer has, and ended takes
 * beyond the limit that `KEPT_OF_EACH` sets.
 *
 * @param news.sideBySide number of takes that the plan makes side by side.
 * @param news.isAll whether `takes` has every take of the run.
 * @param news.chosen the take that the news chooses; null if it chooses none. The take is kept in detail.
 * @param isChosenKept called only if the chosen take would be dropped otherwise. False only in replays of histories of
 *   versions that dropped it.
 */
export function noteTakes(
  shot: KeptShot,
  { takes, sideBySide, isAll, chosen = null }: TakeNews,
  isChosenKept: () => boolean = () => true,
): void {
  const before = shot.takes.filter((known) => !takes.some(({ take }) => take === known.take));
  const isOver = isAll && takes.length > 0;
  const asked = [...(isOver ? [] : before), ...takes];
  const most = KEPT_OF_EACH * sideBySide;
  const known = extraTakes(asked, most, [shot.filmTake]);
  const isDropped = known.some(({ take }) => take === chosen);
  const extra = isDropped && isChosenKept() ? extraTakes(asked, most, [shot.filmTake, chosen]) : known;
  shot.takes = asked.filter((take) => !extra.includes(take));
  const earlier = [...(isOver ? before : []), ...extra].map(({ take, credits }) => [take, credits] as const);
  shot.earlier = new Map([...shot.earlier, ...earlier]);
  if (shot.earlier.size > 0) shot.earlier = withoutTakes(shot.earlier, shot.takes);
}

/** The ended takes beyond the limit, except those in `kept`. Failed takes come first, and older before newer ones. */
function extraTakes(
  asked: readonly TakeProgress[],
  most: number,
  kept: readonly (number | null)[],
): readonly TakeProgress[] {
  return asked
    .filter(({ take, state }) => !kept.includes(take) && (state === 'failed' || state === 'completed'))
    .toSorted((a, b) => Number(a.state === 'completed') - Number(b.state === 'completed') || a.take - b.take)
    .slice(0, Math.max(0, asked.length - most));
}

/** The shot as the status shows it. */
export function toldShot({ run: _run, earlier, waitedSeconds = 0, ...shot }: KeptShot): ShotStatus {
  const waited = waitedSeconds === 0 ? {} : { waitedSeconds };
  return { ...shot, ...waited, ...(earlier.size === 0 ? {} : { earlier: countOf(earlier) }) };
}

/** Changes a shot's state. If this ends a wait for a person, adds its duration to `waitedSeconds`. */
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

/** Leaves out takes that are kept in detail, because an earlier take may have been requested again. */
function withoutTakes(earlier: KeptShot['earlier'], kept: readonly TakeProgress[]): KeptShot['earlier'] {
  const numbers = new Set(kept.map(({ take }) => take));
  return new Map([...earlier].filter(([take]) => !numbers.has(take)));
}
