import type { AssetRef, TakeFrame } from './asset';
import type { TakeState } from './manifest';

/** Names one take: where it stands in the ledger and how a person counts it. */
export interface TakeRef {
  readonly productionId: string;
  readonly shotId: string;
  /** Hash of everything that was asked for; see docs/decisions on the take key. */
  readonly takeKey: string;
  /** Counts from 1 within the shot. */
  readonly take: number;
  /** Needed to address the task at the gateway. */
  readonly model: { readonly id: string; readonly workflow?: string };
}

/** What is known of a take while it is under way and after. */
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
