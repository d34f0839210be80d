import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowIdReusePolicy } from '@temporalio/client';
import {
  batchWorkflowId,
  ID_PATTERN,
  productionWorkflowId,
  runProductionId,
  triggeredRunWorkflowId,
} from '../../contracts/identifiers';
import { type ScheduledRunInput } from '../../contracts/render/scheduled-run';
import { WORKFLOWS } from '../../contracts/workflow-signatures';
import { type Store } from '../../store';
import { lastVersion } from '../records/last-version';
import { didYouMean } from '../wording/phrases';
import { Refused } from '../wording/refused';
import { type Renders } from '../renders';
import { ifFound } from '../temporal/live-status';
import { type StartOptions, startWorkflow } from '../temporal/start-workflow';
import { foreignSchedule } from './unknown-schedule';

/** The longest wait for a run to begin. Without a worker the run begins later. */
const BEGINS_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 100;

/**
 * Begins a run by hand. A run's id contains the current second. If that id is taken, the call waits for the next
 * second.
 *
 * @returns the id of the run's production or batch, as soon as Temporal has its workflow, or after 10 s.
 */
export async function triggerRun(
  { temporal, store }: { readonly temporal: Client; readonly store: Store },
  input: ScheduledRunInput,
  startOptions: StartOptions,
): Promise<string> {
  for (;;) {
    const triggeredAt = new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString();
    const productionId = runProductionId(input.schedule, triggeredAt, 'hand');
    try {
      await startWorkflow(temporal, WORKFLOWS.scheduledRun, {
        ...startOptions,
        workflowId: triggeredRunWorkflowId(input.storeId, productionId),
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
        args: [{ ...input, triggeredAt }],
        memo: { account: input.account },
        staticSummary: input.schedule,
      });
      await untilRunning(temporal, store, productionId);
      return productionId;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await sleep(1_000);
    }
  }
}

async function untilRunning(temporal: Client, store: Store, id: string): Promise<void> {
  const untilMs = Date.now() + BEGINS_WITHIN_MS;
  while (Date.now() < untilMs) {
    // Ignore errors: the run is already triggered.
    if (await temporal.withDeadline(untilMs, () => hasStarted(temporal, store, id)).catch(() => false)) return;
    await sleep(LOOK_EVERY_MS);
  }
}

/** Also asks Temporal, because the store records a production or batch before its workflow starts. */
async function hasStarted({ workflow }: Client, { id: storeId, productions, batches }: Store, id: string) {
  const isProduction = (await productions.begun(id)) !== undefined;
  if (!isProduction && (await batches.begun(id)) === undefined) return false;
  const workflowId = isProduction ? productionWorkflowId(storeId, id) : batchWorkflowId(storeId, id);
  return (await ifFound(workflow.getHandle(workflowId).describe())) !== undefined;
}

/**
 * Renders the last version of a run again, because a person decided so. Failed takes may be paid for again. This works
 * even if the schedule has been deleted.
 *
 * @throws Refused if the schedule has not begun the run, or if the run is a batch, belongs to another account or has
 *   lost its plan. Also throws the errors of `Renders.render`.
 */
export async function renderAgain(
  store: Store,
  account: string,
  { schedule, productionId }: { readonly schedule: string; readonly productionId: string },
  renders: Pick<Renders, 'render'>,
): Promise<void> {
  const areIds = ID_PATTERN.test(schedule) && ID_PATTERN.test(productionId);
  const run = areIds ? await store.runs.run(schedule, productionId) : undefined;
  if (run === undefined) {
    const near = didYouMean(productionId, areIds ? await store.runs.ids(schedule) : []);
    throw new Refused(
      `schedule "${schedule}" has no run "${productionId}"; see \`dailies schedule show ${schedule}\`.${near}`,
    );
  }
  if (run.account !== account) throw foreignSchedule(schedule, run.account, account);
  if (run.kind === 'batch') {
    throw new Refused(
      `"${productionId}" is a batch; \`dailies batch retry-failed ${productionId}\` renders its failed rows again, ` +
        'with --missing also rows that are parked, were cancelled, never began or lost their result',
    );
  }
  const { productions } = store;
  const last = await lastVersion(productions, productionId);
  const [production, written] = [last?.production ?? run.production, last?.basis.written];
  const plan = await productions.plan(last?.basis ?? run);
  if (plan === undefined)
    throw new Refused(
      `the plan of "${productionId}" is not in the store any more; render the schedule's file by itself`,
    );
  await renders.render({ productionId, production, plan, ...(written === undefined ? {} : { written }) });
}
