import { Context, log } from '@temporalio/activity';
import { type AwaitTaskInput, type PollActivities, type TaskOutcome } from '../../contracts/activities';
import { type AwaitHeartbeat, awaitHeartbeat } from '../../contracts/gateway/await-heartbeat';
import { type GatewayClient, type TaskReading } from '../../gateway';
import { type Settled, ledgerState, type Store, type TakeHistory, type UsualTimes } from '../../store';
import { failure } from '../fail';
import { type KeepTask } from '../kept-task';
import { type Leases } from '../account/leases';
import { createReadPlans, nextReadMs, type ReadPlans } from './poll-times';
import { type ReadPlan } from './read-plan';
import { settledRecord } from '../settle-take';
import { unreadable, whileLedgerServes } from '../translate-error';
import { withHeartbeat } from '../with-heartbeat';

/** A wait up to this long is cheaper within the attempt than as a new attempt. */
const WAIT_WITHIN_ATTEMPT_MS = 3_000;

/** All waits of an attempt end within this time after the attempt has found the take in the ledger. */
const ATTEMPT_MS = 6_000;

/**
 * The pause after the first failed read in a row, and the longest pause. Each further failure makes the pause longer.
 * If the gateway asks for a longer pause, that pause applies.
 */
const FIRST_REPEAT_MS = 2_000;
const LONGEST_REPEAT_MS = 60_000;

/** If a read comes later than planned by more than this, the time that the task took is not recorded. */
const TIMELY_MS = 5_000;

/** A read that would miss the deadline is due this long before the deadline. */
const BEFORE_DEADLINE_MS = 1_000;

export interface AwaitDependencies {
  readonly gateway: GatewayClient;
  readonly store: Store;
  readonly usualTimes: UsualTimes;
  readonly keepTask: KeepTask;
  /** Shortest time between two reads of one task. */
  readonly pollFloorMs: number;
  /** Told when the task has ended, so that the arbiter can grant its place to another task. */
  readonly leases: Pick<Leases, 'tellTakeEnd'>;
}

/**
 * Makes the activity that waits until a task has ended, records the end in the ledger, and returns the outcome.
 *
 * Temporal's retry is the wait: a poll adds no history, and the wait survives a crash. Only waits of up to 3 s occupy
 * an activity slot. The task is paid for, so no failed read is final. The deadline is the activity's schedule-to-close
 * timeout; after the timeout, the workflow asks for one last read.
 *
 * @returns `pending` only if the workflow asked for one last read.
 * @throws TaskPending (retried, benign), GatewayUnreadable, LedgerUnavailable, StoreUnavailable (retried), TakeMismatch
 *   (final). See docs/failures.md.
 * Source: gateway specification, "States and transitions".
 */
export function createPollActivities(dependencies: AwaitDependencies): PollActivities {
  const plans = createReadPlans(dependencies.pollFloorMs);
  return {
    awaitTask(input) {
      const { info } = Context.current();
      const reads = info.attempt === 1 ? noReads(input) : awaitHeartbeat(info.heartbeatDetails);
      const deadlineMs = info.scheduledTimestampMs + info.scheduleToCloseTimeoutMs;
      return withHeartbeat(
        async () => {
          const { take, history } = await dependencies.keepTask(input);
          const settled = settledAlready(history, input);
          const outcome =
            settled === undefined
              ? await waitAndRead(
                  { ...dependencies, plans },
                  { ...input, take },
                  {
                    ...{ reads, deadlineMs, isFirstAttempt: info.attempt === 1 },
                    isAnswer: history.sendings.some(({ answered }) => answered?.taskId === input.taskId),
                  },
                )
              : ended(settled);
          if (outcome.state !== 'pending') await dependencies.leases.tellTakeEnd(take);
          return outcome;
        },
        () => reads,
      );
    },
  };
}

interface Attempt {
  readonly reads: AwaitHeartbeat;
  readonly deadlineMs: number;
  readonly isFirstAttempt: boolean;
  /**
   * True if the gateway named the task in its answer to a sending. The age of any other task is unknown, for example if
   * a person assigned the task to the take.
   */
  readonly isAnswer: boolean;
}

async function waitAndRead(
  { gateway, store, usualTimes, pollFloorMs, plans }: AwaitDependencies & { readonly plans: ReadPlans },
  { take, taskId, acceptedAt, lastRead }: AwaitTaskInput,
  { reads, deadlineMs, isFirstAttempt, isAnswer }: Attempt,
): Promise<TaskOutcome> {
  const usual = await usualTimes.forModel(take.model.id);
  const plan = usual === undefined ? undefined : planOf(() => plans(take.model.id, usual.seen));
  const ageAt = (atMs: number): number => Math.max(0, atMs - Date.parse(acceptedAt));
  const untilNextRead = (isFirst: boolean): number =>
    nextReadMs({ ageMs: ageAt(Date.now()), isFirst, plan, floorMs: pollFloorMs, random: Math.random() });
  const attemptEndsAtMs = Date.now() + ATTEMPT_MS;
  let dueInMs = isFirstAttempt && !lastRead ? untilNextRead(true) : 0;
  if (isFirstAttempt) reads.dueAtMs = Date.now() + dueInMs;
  if (isFirstAttempt && !lastRead) {
    // Measure lateness from the acceptance, since the first attempt may start long after it.
    const latestMs = nextReadMs({ ageMs: 0, isFirst: true, plan, floorMs: pollFloorMs, random: 1 });
    reads.plannedAtMs = Math.min(Date.now() + dueInMs, Date.parse(acceptedAt) + latestMs);
  }
  for (;;) {
    if (dueInMs > WAIT_WITHIN_ATTEMPT_MS || Date.now() + dueInMs > attemptEndsAtMs) {
      throw failure('TaskPending', `task ${taskId} has not ended`, {
        nextRetryDelayMs: setNextRead(reads, dueInMs, deadlineMs),
      });
    }
    // The workflow shields the wait from cancellation. The worker's shutdown interrupts the sleep. So does an
    // operator who pauses or resets the activity, or terminates the workflow.
    await Context.current().sleep(dueInMs);
    const wasTimely = reads.plannedAtMs !== null && Date.now() - reads.plannedAtMs < TIMELY_MS;
    const sentAtMs = Date.now();
    const reading = await readOnce(gateway, { taskId, model: take.model }, reads, deadlineMs);
    const tookMs = ageAt(Date.now());
    if (reading.state !== 'pending') {
      const settled = await whileLedgerServes(() => store.ledger.settle(take, settledRecord(taskId, reading)));
      if (reading.state === 'completed' && wasTimely && isAnswer) {
        await usualTimes.note(take.model.id, tookMs, lastPendingMs(reads, ageAt));
      }
      return ended(settled);
    }
    if (lastRead) return { state: 'pending' };
    reads.pendingAtMs = sentAtMs;
    dueInMs = untilNextRead(false);
    reads.dueAtMs = reads.plannedAtMs = Date.now() + dueInMs;
  }
}

/** The age at which the task was last seen pending: 0 if no read saw it pending, undefined if unknown. */
function lastPendingMs({ pendingAtMs }: AwaitHeartbeat, ageAt: (atMs: number) => number): number | undefined {
  if (pendingAtMs === null) return 0;
  return pendingAtMs === undefined ? undefined : ageAt(pendingAtMs);
}

/**
 * Undefined if the plan cannot be made. The task is then read as if its model were unknown. A plan only saves reads.
 */
function planOf(make: () => ReadPlan): ReadPlan | undefined {
  try {
    return make();
  } catch (error) {
    log.warn(
      'no read plan can be made from the known times of the model; its tasks are read like those of an unknown model',
      { reason: String(error) },
    );
    return undefined;
  }
}

async function readOnce(
  gateway: GatewayClient,
  task: Parameters<GatewayClient['read']>[0],
  reads: AwaitHeartbeat,
  deadlineMs: number,
): Promise<TaskReading> {
  try {
    const reading = await gateway.read(task);
    reads.failedInARow = 0;
    return reading;
  } catch (error) {
    const repeatInMs = Math.min(LONGEST_REPEAT_MS, FIRST_REPEAT_MS * 1.5 ** Math.min(reads.failedInARow, 20));
    reads.failedInARow += 1;
    throw unreadable(error, (wantedMs) => setNextRead(reads, Math.max(wantedMs, repeatInMs), deadlineMs));
  }
}

/** Records when the next read is due (see `BEFORE_DEADLINE_MS`), and returns the milliseconds until then. */
function setNextRead(reads: AwaitHeartbeat, inMs: number, deadlineMs: number): number {
  const leftMs = deadlineMs - Date.now() - BEFORE_DEADLINE_MS;
  const dueInMs = leftMs > 0 ? Math.min(inMs, leftMs) : inMs;
  reads.dueAtMs = Date.now() + dueInMs;
  return dueInMs;
}

/**
 * The state before an activity's first read. If the activity makes only the last read, another activity made the
 * earlier reads. Their times are unknown here, so `pendingAtMs` is undefined.
 */
function noReads({ lastRead }: AwaitTaskInput): AwaitHeartbeat {
  return { failedInARow: 0, dueAtMs: null, plannedAtMs: null, pendingAtMs: lastRead ? undefined : null };
}

function settledAlready(history: TakeHistory, { taskId }: AwaitTaskInput): Settled | undefined {
  const now = ledgerState(history);
  return now.is === 'settled' && now.settled.taskId === taskId ? now.settled : undefined;
}

function ended({ state, credits, reason }: Settled): TaskOutcome {
  if (state === 'completed') return { state, credits };
  return { state, credits, reason: reason ?? 'the gateway gave no reason' };
}
