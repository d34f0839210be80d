import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { type Priority } from '../../contracts/gateway/arbiter';
import { type AssetRef } from '../../contracts/asset';
import { GENERATIONS, generateWorkflowId } from '../../contracts/identifiers';
import { type PlannedShot } from '../../contracts/render/plan';
import { type GenerateInput, type Parked, type Searchable, type TakeOutcome } from '../../contracts/workflows';
import { WORKFLOWS } from '../../contracts/workflow-signatures';
import { taskStatusQuery } from '../../workflows/messages';
import { type RenderContext } from '../renders/context';
import { withOwnSignal } from '../temporal/own-signal';
import { retryWhileUnavailable } from '../temporal/retry-while-unavailable';
import { knowsSearchAttributes } from '../temporal/search-attributes';
import { Refused } from '../wording/refused';
import { type HandleOf, startWorkflow } from '../temporal/start-workflow';

/** Each check is a query that a worker answers in about 10 ms. */
const CHECK_EVERY_MS = 500;

export interface GenerateRequest {
  /** Name of the single task. The same request with the same name finds the task that is already paid for. */
  readonly generationId: string;
  readonly production: AssetRef;
  readonly shot: PlannedShot;
  readonly mode: 'submit' | 'execute';
  /** Priority for leases, if the account has limits. Default: normal. */
  readonly priority?: Priority;
}

export interface BegunTask {
  /** Resolves when the task has ended or is parked, or with undefined if the signal aborts. */
  ended(signal: AbortSignal): Promise<TakeOutcome | Parked | undefined>;
}

/** Begins a task, or joins it if it is running. @throws Refused if it is running for another request or account. */
export async function beginTask(
  { temporal, store, account, startOptions }: RenderContext,
  request: GenerateRequest,
): Promise<BegunTask> {
  const { generationId, production } = request;
  const searchable = await knowsSearchAttributes(temporal.connection, temporal.options.namespace);
  const input = singleTaskInput(request, searchable);
  const workflowId = generateWorkflowId(store.id, generationId);
  const memo = { account, production: production.sha256 };
  const handle: HandleOf<'generate'> = temporal.workflow.getHandle(workflowId);
  try {
    await startWorkflow(temporal, WORKFLOWS.generate, { ...startOptions, workflowId, args: [input], memo });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    await checkSameTask(handle, generationId, memo);
  }
  return { ended: (signal) => endedOrParked(handle, signal) };
}

/** Begins or joins a task, and waits until it has ended or is parked. @throws Refused as `beginTask` does. */
export async function generate(context: RenderContext, request: GenerateRequest): Promise<TakeOutcome | Parked> {
  const outcome = await (await beginTask(context, request)).ended(new AbortController().signal);
  if (outcome === undefined) throw new Error('the wait ended without an outcome, although nobody aborted it');
  return outcome;
}

/** The workflow input of a single task: one take of one shot. */
export function singleTaskInput(
  { generationId, production, shot, mode, priority }: GenerateRequest,
  searchable: Searchable,
): GenerateInput {
  const { model, output, deadlineSeconds, onUnclear, retryFailed, onFailure } = shot;
  return {
    task: {
      productionId: GENERATIONS,
      production,
      shotId: generationId,
      links: [],
      renderId: randomUUID(),
      attempt: 1,
      sibling: 0,
      ...(priority === undefined ? {} : { turn: { priority, deadlineSeconds } }),
    },
    model,
    output,
    mode,
    deadlineSeconds,
    onUnclear,
    retryFailed,
    onFailure,
    searchable,
  };
}

/** Checks that a running task can be joined. @throws Refused if the task has another request or account. */
async function checkSameTask(
  handle: HandleOf<'generate'>,
  generationId: string,
  expectedMemo: Readonly<Record<string, string>>,
): Promise<void> {
  const { memo } = await handle.describe();
  if (Object.entries(expectedMemo).every(([name, value]) => memo?.[name] === value)) return;
  throw new Refused(
    `task "${generationId}" is running for another request or account; let it end, or give this one another --id`,
  );
}

/**
 * Resolves when a single task has ended or is parked. Sends no calls after that, because the caller may then close the
 * connection. Keeps waiting while the Temporal server is unavailable.
 *
 * @returns undefined if the signal aborts.
 */
async function endedOrParked(
  handle: HandleOf<'generate'>,
  signal: AbortSignal,
): Promise<TakeOutcome | Parked | undefined> {
  return withOwnSignal(signal, async (over) => {
    const call = <R>(send: () => Promise<R>): Promise<R> =>
      withOwnSignal(over.signal, (own) => handle.client.withAbortSignal(own.signal, send));
    const ended = retryWhileUnavailable(() => call(() => handle.result()), over.signal);
    const parked = async (): Promise<TakeOutcome | Parked | undefined> => {
      for (;;) {
        await sleep(CHECK_EVERY_MS);
        if (over.signal.aborted) return ended;
        const status = await call(() => handle.query(taskStatusQuery)).catch(() => null);
        if (status !== null && 'for' in status) return status;
      }
    };
    try {
      return await Promise.race([ended, parked()]);
    } finally {
      over.abort();
    }
  });
}
