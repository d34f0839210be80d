import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Decision } from '../contracts/decision';
import type { ProductionStatus } from '../contracts/status';
import type { Parked, ShotOutcome, ShotProgress } from '../contracts/workflows';

/** Everything that a progress display needs, of a running production or an ended one. */
export const productionStatusQuery = defineQuery<ProductionStatus>('productionStatus');

/** From a shot to its production: its take was accepted, it is parked, or it goes on. */
export const shotProgressSignal = defineSignal<[ShotProgress]>('shotProgress');

/** Asks a shot to tell its production where it stands: the production was reset, and has heard nothing yet. */
export const reportProgressSignal = defineSignal('reportProgress');

/** Where a single task stands: how it ended, why it is parked, or null while it renders. */
export const taskStatusQuery = defineQuery<ShotOutcome | Parked | null>('taskStatus');

/**
 * How a parked shot goes on. Sent to the shot's own workflow.
 *
 * Refused where the shot is not parked, where the decision does not answer why it is, and where the gateway or the
 * ledger speak against it; a refusal changes nothing.
 */
export const resolveShotUpdate = defineUpdate<boolean, [Decision]>('resolveShot');
