import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { ProductionStatus } from '../contracts/status';
import type { ShotOutcome, ShotProgress } from '../contracts/workflows';

/** Everything that a progress display needs, of a running production or an ended one. */
export const productionStatusQuery = defineQuery<ProductionStatus>('productionStatus');

/** From a shot to its production: its take was accepted or has ended. */
export const shotProgressSignal = defineSignal<[ShotProgress]>('shotProgress');

/** What is known of a single task so far. */
export const taskStatusQuery = defineQuery<ShotOutcome | null>('taskStatus');
