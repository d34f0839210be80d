import { chosenTakeOf, type ShotStatus } from '../contracts/status';
import type { TakeProgress } from '../contracts/take';
import type { ShotProgress } from '../contracts/workflows';
import type { ShotStanding } from './plan';

/** A shot of a running production, as its production keeps it. */
export type KeptShot = { -readonly [Field in keyof ShotStatus]: ShotStatus[Field] } & {
  /** Its child workflow, from the start to the end. */
  run: ShotRun | null;
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

/** The takes with what is new of them. */
export function withTakes(takes: readonly TakeProgress[], news: readonly TakeProgress[]): readonly TakeProgress[] {
  return [...takes.filter((known) => !news.some(({ take }) => take === known.take)), ...news];
}
