import {
  CancellationScope,
  ChildWorkflowFailure,
  condition,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  patched,
  setCurrentDetails,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import {
  defineSearchAttributeKey,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdReusePolicy,
} from '@temporalio/common';
import type { FailureType } from '../../contracts/failures';
import type { BatchInput } from '../../contracts/render/batch';
import { batchWorkflowId, productionWorkflowId, runProductionId } from '../../contracts/identifiers';
import { endOfBatch, endOfProduction, type RunEnd } from '../../contracts/render/run-end';
import type {
  AwaitedRun,
  BeginRunInput,
  BegunRun,
  ScheduledRunEnd,
  ScheduledRunInput,
} from '../../contracts/render/scheduled-run';
import { isTimeout, lastFailureType } from '../temporal/activity-failures';
import { scheduleActivities } from '../temporal/activity-options';
import { batch } from '../batch/batch';
import { failure } from '../temporal/fail';
import { waitsForPeopleSignal } from '../messages';
import { production } from '../production/production';

/** The time for which Temporal's schedule started the workflow, without jitter. */
const SCHEDULED_AT = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME');

interface Rendering {
  readonly workflowId: string;
  /** Resolves with the outcome, even if the workflow was terminated. */
  end(): Promise<RunEnd>;
}

interface Heard {
  waits: boolean;
  end: RunEnd | null;
}

/**
 * One run of a schedule. It starts a production or batch and waits for the end, so that the schedule's overlap policy
 * and pause-on-failure apply.
 *
 * If only people can continue a production, the run ends and the production keeps waiting, so that the next run is not
 * delayed. A cancelled run cancels its production or batch. The run starts nothing if its scheduled time was rendered
 * before. It also starts nothing if the schedule is paused or deleted, unless a person started the run.
 *
 * @throws RunIncomplete if shots, the film or rows are missing, or if a production or batch that this workflow started
 *   was terminated; NoTime if the scheduled time is unknown; the failures of `beginRun`.
 */
export async function scheduledRun(input: ScheduledRunInput): Promise<ScheduledRunEnd> {
  const heard: Heard = { waits: false, end: null };
  setHandler(waitsForPeopleSignal, () => {
    heard.waits = true;
  });
  const whole = CancellationScope.current();
  const { schedule, template, timezone, triggeredAt } = input;
  const begun = await begin({
    schedule,
    template,
    timezone,
    scheduledAt: triggeredAt ?? scheduledAt(),
    by: triggeredAt === undefined ? 'schedule' : 'hand',
  });
  const { productionId } = begun;
  if (begun.state === 'had' || begun.state === 'halted') return { productionId, state: begun.state };
  setCurrentDetails(`**${productionId}**`);

  return CancellationScope.nonCancellable(async () => {
    const rendering = await (begun.state === 'begun' ? startProduction(input, begun) : startBatch(input, begun));
    if (rendering === undefined) return { productionId, state: 'had' };
    void whole.cancelRequested.catch(() => drain(rendering.workflowId));
    void rendering.end().then((end) => {
      heard.end = end;
    });
    await condition(() => heard.waits || heard.end !== null);
    const { end } = heard;
    if (end === null) return { productionId, state: 'waiting' };
    if (end.state !== 'incomplete') return { productionId, state: end.state };
    throw failure('RunIncomplete', `${productionId}: ${end.reason}`);
  });
}

/**
 * Begins the run. While runs are held (see `RunsHold`), `beginRun` is retried. After a day, the run does not start:
 * nobody expects it any more.
 */
async function begin(input: BeginRunInput): Promise<BegunRun> {
  try {
    return await scheduleActivities().beginRun(input);
  } catch (error) {
    if (!isTimeout(error) || lastFailureType(error) !== 'ProductionHeld') throw error;
    return { state: 'halted', productionId: runProductionId(input.schedule, input.scheduledAt, input.by) };
  }
}

function scheduledAt(): string {
  const at = workflowInfo().typedSearchAttributes.get(SCHEDULED_AT);
  if (at !== undefined) return at.toISOString();
  throw failure('NoTime', 'no schedule started this workflow, and its input gives no time');
}

async function startProduction(
  { storeId, account, searchable }: ScheduledRunInput,
  { state: _state, ...run }: Extract<BegunRun, { state: 'begun' }>,
): Promise<Rendering | undefined> {
  const workflowId = productionWorkflowId(storeId, run.productionId);
  return ifNew({ kind: 'production', workflowId }, async () => {
    const child = await startChild(production, {
      workflowId,
      args: [{ ...run, storeId, searchable, watcher: workflowInfo().workflowId }],
      memo: { account },
      staticSummary: run.plan.title,
      ...CHILD,
    });
    return async () => endOfProduction(await child.result());
  });
}

function startBatch(
  { storeId, account, searchable }: ScheduledRunInput,
  { batch: rows }: Extract<BegunRun, { state: 'begun-batch' }>,
): Promise<Rendering | undefined> {
  const workflowId = batchWorkflowId(storeId, rows.batchId);
  return ifNew({ kind: 'batch', workflowId }, async () => {
    const args: [BatchInput] = [{ ...rows, storeId, searchable }];
    const child = await startChild(batch, { workflowId, args, memo: { account }, ...CHILD });
    return async () => endOfBatch(await child.result());
  });
}

const CHILD = {
  workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
  // The child collects its paid work even if this workflow is terminated.
  parentClosePolicy: ParentClosePolicy.ABANDON,
  workflowTaskTimeout: '5 seconds',
} as const;

/**
 * Starts the production or batch. If it was started before, awaits it, so that the overlap policy sees its end. In
 * histories from before the patch, returns undefined instead of awaiting it.
 */
async function ifNew(run: AwaitedRun, start: () => Promise<() => Promise<RunEnd>>): Promise<Rendering | undefined> {
  const { workflowId } = run;
  try {
    const end = await start();
    return { workflowId, end: () => end().catch(brokenEnd) };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return patched('await-begun-run') ? { workflowId, end: () => endOfAnothers(run).catch(brokenEnd) } : undefined;
  }
}

/**
 * Waits for the end of a production or batch that was begun before, or until only people can continue it. The wait has
 * no limit: the activity times out after a day, and is then called again.
 *
 * `wasUnderWay` tells the next call that an earlier call has seen the run under way. Without it, a run that has ended
 * counts as `had`.
 */
async function endOfAnothers(run: AwaitedRun): Promise<RunEnd> {
  for (let known = run; ;) {
    try {
      return await scheduleActivities().awaitRun(known);
    } catch (error) {
      if (!isTimeout(error)) throw error;
      if (lastFailureType(error) === ('RunUnderWay' satisfies FailureType)) known = { ...run, wasUnderWay: true };
    }
  }
}

function brokenEnd(error: unknown): RunEnd {
  const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
  return { state: 'incomplete', reason: cause?.message ?? String(error) };
}

/** Cancels the production or batch, which may just have ended. */
async function drain(workflowId: string): Promise<void> {
  await getExternalWorkflowHandle(workflowId)
    .cancel()
    .catch(() => undefined);
}
