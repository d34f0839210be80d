import type { AssetRef } from './asset';
import type { BudgetFigures } from './budget';
import type { ParkedFor } from './decision';
import type { ProductionState, ShotState } from './manifest';
import type { ReadyByStatus } from './ready-by';
import type { RenderBasis } from './render-basis';
import type { TakeProgress } from './take';

/** What the status query of a production answers: all that a progress display needs, and what the manifest is made of. */
export interface ProductionStatus {
  readonly production: string;
  readonly title: string;
  readonly state: ProductionState;
  /** The render that this run belongs to. */
  readonly renderId: string;
  readonly frozen: AssetRef;
  /** Absent where only the store tells of it. */
  readonly basis?: RenderBasis;
  readonly shots: readonly ShotStatus[];
  readonly film: AssetRef | null;
  /** Present while the film is being put together, or where that failed. */
  readonly assembly: 'waiting' | 'running' | 'completed' | 'failed' | 'none';
  readonly reason: string | null;
  /** ISO 8601, by the workflow's clock. */
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Present where it has a budget. */
  readonly budget?: BudgetFigures;
  /** Present where it is to be ready by a time. */
  readonly readyBy?: ReadyByStatus;
  /** Present while a person has paused it: nothing new is bought. */
  readonly paused?: { readonly reason: string; readonly since: string };
  /** True where its workflow could not be asked: read off the store, which does not know what is under way. */
  readonly fromStore?: true;
}

export interface ShotStatus {
  readonly id: string;
  readonly model: string;
  readonly state: ShotState;
  readonly reason: string | null;
  /** Present while it is parked. */
  readonly parked: { readonly for: ParkedFor; readonly since: string } | null;
  /** Present while it waits for an approval: since when (ISO 8601), and how many of its takes are under way still. */
  readonly review: { readonly since: string; readonly takesUnderWay: number } | null;
  /** Those of what is asked for now. The ledger has the earlier ones. */
  readonly takes: readonly TakeProgress[];
  /** The earlier ones, counted, as far as this render has told of them. Absent where there are none. */
  readonly earlier?: EarlierTakes;
  /** The take that is chosen, approved or not; null where none is. It need not be the last one. */
  readonly filmTake: number | null;
  /** ISO 8601; null before the shot starts or ends. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** How long it has waited for people between the two, without a wait that lasts. Absent where it has not. */
  readonly waitedSeconds?: number;
}

/** Takes of a shot of which only the ledger has more than this. */
export interface EarlierTakes {
  readonly takes: number;
  /** What they were charged, as far as the gateway has said; null if it has said nothing. */
  readonly credits: number | null;
}

/** The take that is chosen for a shot. */
export function chosenTakeOf({ takes, filmTake }: Pick<ShotStatus, 'takes' | 'filmTake'>): TakeProgress | undefined {
  return takes.find(({ take }) => take === filmTake);
}

/** What a shot's takes were charged, each as far as the gateway has said; empty where it has said nothing. */
export function chargesOf({ takes, earlier }: Pick<ShotStatus, 'takes' | 'earlier'>): readonly number[] {
  return [...takes, ...(earlier === undefined ? [] : [earlier])].flatMap(({ credits }) => credits ?? []);
}

/**
 * Whether a running production can only go on when a person decides: all that is left is parked or in review, or waits
 * for what is, or is to be bought while the production is paused.
 */
export function waitsForPeople({ state, shots, assembly, paused, fromStore }: ProductionStatus): boolean {
  if (state !== 'running' || fromStore === true || assembly === 'running') return false;
  // What the gateway has accepted is collected; anything else is held.
  if (paused !== undefined) {
    return !shots.filter(isRendering).some(({ takes }) => takes.some((take) => take.state === 'rendering'));
  }
  return onlyPeopleCanGoOn({ shots });
}

/** Whether no shot can go on but those that people answer: some are parked or in review, and none renders. */
export function onlyPeopleCanGoOn({ shots }: Pick<ProductionStatus, 'shots'>): boolean {
  return shots.some(({ state }) => state === 'parked' || state === 'review') && !shots.some(isRendering);
}

/** Since when a shot waits for a person (ISO 8601); null where it does not. */
export function waitsForPersonSince({ parked, review }: Pick<ShotStatus, 'parked' | 'review'>): string | null {
  return (review ?? parked)?.since ?? null;
}

/** A shot in review may have other takes under way, among which a person may want to choose. */
export function isRendering({ state, review }: ShotStatus): boolean {
  return state === 'rendering' || (review !== null && review.takesUnderWay > 0);
}
