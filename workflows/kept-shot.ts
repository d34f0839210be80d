import { exactCredits } from '../contracts/credits';
import { chosenTakeOf, type EarlierTakes, type ShotStatus } from '../contracts/status';
import type { TakeProgress } from '../contracts/take';
import type { ShotProgress } from '../contracts/workflows';
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
  /** What was told last before that, by this run or by an older one that is still there. */
  heard: ShotProgress | null;
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

/** How the earlier takes of a shot are told; undefined where there are none. */
export function earlierTakes({ earlier }: Pick<KeptShot, 'earlier'>): EarlierTakes | undefined {
  if (earlier.size === 0) return undefined;
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
