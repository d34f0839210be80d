import type { ArbiterView, Lease, LeaseAsk, LeaseNews } from '../contracts/arbiter';
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { BatchStatus, ReportRequest, RowNews } from '../contracts/batch';
import type { BudgetFigures, ReservationAnswer, ReservationNews } from '../contracts/budget';
import type { Decision } from '../contracts/decision';
import type { LatestTake } from '../contracts/latest-take';
import type { ProductionStatus } from '../contracts/status';
import type { Approval, Parked, Revision, ShotProgress, TakeOutcome } from '../contracts/workflows';

/** Everything that a progress display needs, of a running production or an ended one. */
export const productionStatusQuery = defineQuery<ProductionStatus>('productionStatus');

/** From a shot to its production: what has become of its takes, whether it waits, and which take is chosen. */
export const shotProgressSignal = defineSignal<[ShotProgress]>('shotProgress');

/** From a production to whoever started it: only people can go on with it, for now. Said once, and at once enough. */
export const waitsForPeopleSignal = defineSignal('waitsForPeople');

/** Asks a shot to tell its production where it stands: the production was reset, and has heard nothing yet. */
export const reportProgressSignal = defineSignal('reportProgress');

/**
 * From a production to its shot: to end, if nothing of it was sent, since another version of it is to be rendered. Said
 * once and heard for good; a shot of which anything was sent goes on.
 */
export const standDownSignal = defineSignal('standDown');

/** From a shot to its production, where that has a budget: what it has to send, and what not any more. */
export const reservationSignal = defineSignal<[ReservationNews]>('reservation');

/** From a production to its shot: whether a sending fits the budget. */
export const reservationAnswerSignal = defineSignal<[ReservationAnswer]>('reservationAnswer');

/**
 * Gives a production another budget, and answers with where it stands then.
 *
 * Refused where it runs without one, is being cancelled or has ended.
 */
export const setBudgetUpdate = defineUpdate<BudgetFigures | null, [credits: number]>('setBudget');

/** Where a single task stands: how it ended, why it is parked, or null while it renders. */
export const taskStatusQuery = defineQuery<TakeOutcome | Parked | null>('taskStatus');

/**
 * How a parked take of a shot goes on; its number may be left out where no other is parked. Sent to the shot's own
 * workflow.
 *
 * Refused where it is not parked, where the decision does not answer why it is, and where the gateway or the ledger
 * speak against it; a refusal changes nothing.
 */
export const resolveShotUpdate = defineUpdate<boolean, [decision: Decision, take: number | null]>('resolveShot');

/**
 * Approves a take of a shot that is reviewed, and answers with its number. Sent to the shot's own workflow.
 *
 * Refused where no review is wanted or it is over, and for a take that is not there or has not completed.
 */
export const approveShotUpdate = defineUpdate<number, [Approval]>('approveShot');

/**
 * Gives a running production another version of itself, and answers with the shots that are looked at again, in the
 * film's order. What is under way and not wanted any more is drained first.
 *
 * Refused for a plan that is not whole, and once the production is being cancelled or has ended.
 */
export const reviseProductionUpdate = defineUpdate<readonly string[], [Revision]>('reviseProduction');

/** Why a revision would be refused as things stand; null where it would be taken. Nothing changes by the question. */
export const revisionObjectionQuery = defineQuery<string | null, [Revision]>('revisionObjection');

/** To the arbiter of an account: a take that wants to be sent. */
export const askLeaseSignal = defineSignal<[LeaseAsk]>('askLease');

/** To the arbiter: what has become of a lease. */
export const leaseEndedSignal = defineSignal<[LeaseNews]>('leaseEnded');

/** From the arbiter to whoever holds the take: it may be sent. */
export const leaseSignal = defineSignal<[Lease]>('lease');

/** What waits at the arbiter, why, and by what limits. */
export const arbiterViewQuery = defineQuery<ArbiterView, [nowMs?: number]>('arbiterView');

/** Has the arbiter read the limits anew, and answers with where it stands then. */
export const limitsChangedUpdate = defineUpdate<ArbiterView>('limitsChanged');

/** Where a batch stands: counts, and the rows under way. */
export const batchStatusQuery = defineQuery<BatchStatus>('batchStatus');

/** From a row to its batch: that it is parked, goes on, or has ended. */
export const rowNewsSignal = defineSignal<[RowNews]>('rowNews');

/** Asks a row to tell its batch where it stands, and its end when that comes: the batch's history ends before it. */
export const reportRowSignal = defineSignal<[ReportRequest]>('reportRow');

/** From a worker: the take that it is about to send. */
export const noteLatestTakeSignal = defineSignal<[LatestTake]>('noteLatestTake');
