import type { AssetRef } from './asset';
import type { ParkedFor } from './decision';
import type { ProductionState, ShotState } from './manifest';
import type { TakeProgress } from './take';

/** What the status query of a production answers: all that a progress display needs, and what the manifest is made of. */
export interface ProductionStatus {
  readonly production: string;
  readonly title: string;
  readonly state: ProductionState;
  /** The render that this run belongs to. */
  readonly renderId: string;
  readonly frozen: AssetRef;
  readonly shots: readonly ShotStatus[];
  readonly film: AssetRef | null;
  /** Present while the film is being put together, or where that failed. */
  readonly assembly: 'waiting' | 'running' | 'completed' | 'failed' | 'none';
  readonly reason: string | null;
  /** ISO 8601, by the workflow's clock. */
  readonly startedAt: string;
  readonly endedAt: string | null;
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
  readonly takes: readonly TakeProgress[];
  /** ISO 8601; null before the shot starts or ends. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}
