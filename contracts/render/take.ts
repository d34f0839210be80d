import type { AssetRef, TakeFrame } from '../asset';
import type { TakeState } from '../states';

/** Identifies a take in the ledger and for people. */
export interface TakeRef {
  readonly productionId: string;
  readonly shotId: string;
  /** Hash of the request and the number of earlier takes with the same request. */
  readonly takeKey: string;
  /** Counts from 1 within the shot. */
  readonly take: number;
  /** Needed to address the task at the gateway. */
  readonly model: { readonly id: string; readonly workflow?: string };
}

/** State of a take, while it is under way and afterwards. */
export interface TakeProgress {
  readonly take: number;
  readonly takeKey: string;
  readonly state: TakeState;
  readonly taskId: string | null;
  readonly credits: number | null;
  readonly asset: AssetRef | null;
  readonly firstFrame: AssetRef | null;
  readonly lastFrame: TakeFrame | null;
  readonly warnings: readonly string[];
}
