import type { AssetRef } from './asset';
import type { BudgetFigures, ProductionBudget } from './money/budget';
import type { ParkedFor, ParkedTake } from './render/decision';
import type { ProductionState, ShotState } from './states';
import type { ReadyByStatus } from './file/ready-by';
import type { RenderBasis } from './render/render-basis';
import type { TakeProgress } from './render/take';

/** A production's status: from its workflow, from the archive, or from the store's records (see `fromStore`). */
export interface ProductionStatus {
  readonly production: string;
  readonly title: string;
  readonly state: ProductionState;
  /** The render that this run belongs to. */
  readonly renderId: string;
  readonly frozen: AssetRef;
  /** Absent if `fromStore` is present. */
  readonly basis?: RenderBasis;
  readonly shots: readonly ShotStatus[];
  readonly film: AssetRef | null;
  /** State of the film's assembly. `none`: there is nothing to assemble. */
  readonly assembly: 'waiting' | 'running' | 'completed' | 'failed' | 'none';
  readonly reason: string | null;
  /** ISO 8601, by the workflow's clock. */
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly budget?: BudgetFigures;
  /** Present instead of `budget` until the charges so far are counted. */
  readonly uncountedBudget?: ProductionBudget;
  readonly readyBy?: ReadyByStatus;
  /** Present while the production is paused by a person: nothing new is paid for. */
  readonly paused?: { readonly reason: string; readonly since: string };
  /** Present while the production is held after an interruption: it pays for nothing new until it is rendered again. */
  readonly held?: true;
  /**
   * True if no workflow answered and no status is archived. The status was then computed from the store's records,
   * which do not show which shots are under way.
   */
  readonly fromStore?: true;
}

export interface ShotStatus {
  readonly id: string;
  readonly model: string;
  readonly state: ShotState;
  readonly reason: string | null;
  /** `takes`: the shot's parked takes; present if a person's decision must name one. */
  readonly parked: { readonly for: ParkedFor; readonly since: string; readonly takes?: readonly ParkedTake[] } | null;
  /**
   * While the shot waits for an approval: since when (ISO 8601), how many of its takes are still under way, and the
   * takes that can be approved. Otherwise null. If `takes` is absent (older shots), any completed take can be approved.
   */
  readonly review: {
    readonly since: string;
    readonly takesUnderWay: number;
    readonly takes?: readonly number[];
  } | null;
  /**
   * Takes of the shot's current version, without some ended ones (see `earlier`). Takes of earlier versions stay until
   * the shot's workflow has reported all its takes.
   */
  readonly takes: readonly TakeProgress[];
  /** Summary of this render's takes that `takes` leaves out. Absent if there are none. */
  readonly earlier?: EarlierTakes;
  /** The chosen take, approved or not; null if there is none. It need not be the last take. */
  readonly filmTake: number | null;
  /** ISO 8601; null until the shot starts. */
  readonly startedAt: string | null;
  /** ISO 8601; null until the shot ends. */
  readonly endedAt: string | null;
  /** Total time of the shot's ended waits for people. Absent if there were none. */
  readonly waitedSeconds?: number;
}

/** Sums over earlier takes of a shot. The ledger has the details. */
export interface EarlierTakes {
  readonly takes: number;
  /** Sum of their known charges; null if none is known. */
  readonly credits: number | null;
}

export function chosenTakeOf({ takes, filmTake }: Pick<ShotStatus, 'takes' | 'filmTake'>): TakeProgress | undefined {
  return takes.find(({ take }) => take === filmTake);
}

/** Returns the known charges: one per take in `takes`, and the sum of `earlier`. Empty if none is known. */
export function chargesOf({ takes, earlier }: Pick<ShotStatus, 'takes' | 'earlier'>): readonly number[] {
  return [...takes, ...(earlier === undefined ? [] : [earlier])].flatMap(({ credits }) => credits ?? []);
}

/**
 * Whether a running production can only continue when a person acts. False if `fromStore` is present, or while the
 * film is assembled. Otherwise true in two cases:
 *
 * - The production is not paused, shots are parked or in review, and no shot has takes under way.
 * - The production is paused, and no accepted task is under way.
 */
export function waitsForPeople({ state, shots, assembly, paused, fromStore }: ProductionStatus): boolean {
  if (state !== 'running' || fromStore === true || assembly === 'running') return false;
  // While paused, accepted tasks are still collected; all else is held.
  if (paused !== undefined) {
    return !shots.filter(isRendering).some(({ takes }) => takes.some((take) => take.state === 'rendering'));
  }
  return onlyPeopleCanGoOn({ shots });
}

/** Whether nothing changes by itself: the production has ended, or only people can continue it. */
export function isAtRest(status: ProductionStatus): boolean {
  return status.state !== 'running' || waitsForPeople(status);
}

/** Whether shots are parked or in review, and no shot has takes under way. */
export function onlyPeopleCanGoOn({ shots }: Pick<ProductionStatus, 'shots'>): boolean {
  return shots.some(({ state }) => state === 'parked' || state === 'review') && !shots.some(isRendering);
}

/** Since when a shot waits for a person (ISO 8601); null if it does not. */
export function waitsForPersonSince({ parked, review }: Pick<ShotStatus, 'parked' | 'review'>): string | null {
  return (review ?? parked)?.since ?? null;
}

/** Whether a shot has takes under way. A shot in review may also have takes under way. */
export function isRendering({ state, review }: ShotStatus): boolean {
  return state === 'rendering' || (review !== null && review.takesUnderWay > 0);
}
