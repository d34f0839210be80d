import type { ArbiterView, Lease, LeaseAsk, LeaseNews } from '../contracts/gateway/arbiter';
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { BatchStatus, ReportRequest, RowNews } from '../contracts/render/batch';
import type { BudgetFigures, ReservationAnswer, ReservationNews } from '../contracts/money/budget';
import type { Decision } from '../contracts/render/decision';
import type { LatestTake } from '../contracts/gateway/latest-take';
import type { ProductionStatus } from '../contracts/status';
import type { Approval, Parked, Revision, ShotProgress, TakeOutcome } from '../contracts/workflows';

/** State of a running or ended production: everything that a progress display needs. */
export const productionStatusQuery = defineQuery<ProductionStatus>('productionStatus');

/** From a shot to its production: the shot's state, its takes, and which take is chosen. */
export const shotProgressSignal = defineSignal<[ShotProgress]>('shotProgress');

/** From a production to the workflow that started it: only people can continue the production. Sent once. */
export const waitsForPeopleSignal = defineSignal('waitsForPeople');

/**
 * From a production to a shot that is not its child in the present history, for example after a reset or
 * continue-as-new: asks the shot to report its state, and later its end.
 */
export const reportProgressSignal = defineSignal('reportProgress');

/**
 * From a production to its shot, or from a batch to its row: give way to the fallback if nothing was sent.
 *
 * Sent once, and remembered by the receiver. A shot or row that has sent anything continues.
 */
export const standDownSignal = defineSignal('standDown');

/** From a shot to its production, if that has a budget: a sending needs or has a permit, or surely costs nothing. */
export const reservationSignal = defineSignal<[ReservationNews]>('reservation');

/** From a production to its shot: the sending may begin, or why it must wait. */
export const reservationAnswerSignal = defineSignal<[ReservationAnswer]>('reservationAnswer');

/**
 * Changes a production's budget, and returns the new figures.
 *
 * Refused if the number is negative or not finite, if the production runs without a budget, or if it is being cancelled
 * or has ended.
 */
export const setBudgetUpdate = defineUpdate<BudgetFigures | null, [credits: number]>('setBudget');

/** State of a single task: how it ended or why it is parked; otherwise null. */
export const taskStatusQuery = defineQuery<TakeOutcome | Parked | null>('taskStatus');

/**
 * Decides how a parked take continues. Sent to the workflow of the shot or single task. The take number may be null if
 * only one take is parked.
 *
 * Refused in these cases; in all but the last, nothing changes:
 * - the take is not parked, or another decision is being checked
 * - the decision is not allowed for the reason why the take is parked, or the user's clip is unusable
 * - the gateway or the ledger contradicts the decision
 * - the take has changed, or it is unknown whether the decision was recorded: the take continues as the ledger says
 */
export const resolveShotUpdate = defineUpdate<boolean, [decision: Decision, take: number | null]>('resolveShot');

/**
 * Approves a take of a shot in review, and returns the take's number. Sent to the shot's own workflow.
 *
 * Refused if the shot has no review, if the review is over, if the take does not exist or has not completed, if another
 * answer is being recorded, or if it is unknown whether the approval was recorded. Fails with `ChoiceLost` if the
 * take is lost.
 */
export const approveShotUpdate = defineUpdate<number, [Approval]>('approveShot');

/**
 * Replaces a running production by another version, and returns the shots that have to run, in the film's order.
 *
 * Work under way that the new version does not want is drained: nothing new is sent, and paid work is collected.
 *
 * Refused if the revision does not fit the running production (`objectionTo`), or if the production is being cancelled
 * or has ended.
 */
export const reviseProductionUpdate = defineUpdate<readonly string[], [Revision]>('reviseProduction');

/** Why a revision would be refused now; null if it would be accepted. Changes nothing. */
export const revisionObjectionQuery = defineQuery<string | null, [Revision]>('revisionObjection');

/** To the account's arbiter: a take requests a lease (permission to send). */
export const askLeaseSignal = defineSignal<[LeaseAsk]>('askLease');

/** To the account's arbiter: what became of a lease, or of a request for one. */
export const leaseEndedSignal = defineSignal<[LeaseNews]>('leaseEnded');

/** From the arbiter to the workflow of the take: the take may be sent. */
export const leaseSignal = defineSignal<[Lease]>('lease');

/** The arbiter's limits and queue. */
export const arbiterViewQuery = defineQuery<ArbiterView, [nowMs?: number]>('arbiterView');

/** Makes the arbiter read the limits again, and returns the arbiter's state. */
export const limitsChangedUpdate = defineUpdate<ArbiterView>('limitsChanged');

/** A batch's counts, and its rows under way. */
export const batchStatusQuery = defineQuery<BatchStatus>('batchStatus');

/** From a row to its batch: the row is parked, continues, or has ended. */
export const rowNewsSignal = defineSignal<[RowNews]>('rowNews');

/** Asks a row to report its end, because the batch does not see the end by itself. See `ReportRequest`. */
export const reportRowSignal = defineSignal<[ReportRequest]>('reportRow');

/** From a worker to the account's `latestTake` workflow: the take that the worker is about to send. */
export const noteLatestTakeSignal = defineSignal<[LatestTake]>('noteLatestTake');
