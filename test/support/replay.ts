import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type WorkflowHandle } from '@temporalio/client';
import { type ReplayResult, Worker } from '@temporalio/worker';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared';
import { type TemporalConnection } from '../../client';
import { DATA_CONVERTER } from '../../client/temporal/large-payloads';

export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

const BUNDLE = join(__dirname, '..', '..', 'dist', 'workflow-bundle.js');

/**
 * Replays the workflow histories on a server, one of each shape; all if DAILIES_REPLAY is `all`.
 *
 * @param workflowsPath workflows to use instead of the built bundle.
 */
export async function replayAll({ client }: TemporalConnection, workflowsPath: string | undefined): Promise<void> {
  const histories = new Map<string, { readonly workflowId: string; readonly history: History }>();
  for await (const { workflowId, runId, status } of client.workflow.list()) {
    if (status.name === 'TERMINATED') continue;
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const name = process.env['DAILIES_REPLAY'] === 'all' ? `${workflowId} ${runId}` : shapeOf(history);
    if (!histories.has(name)) histories.set(name, { workflowId, history });
  }
  const workflows =
    workflowsPath === undefined ? { workflowBundle: { code: readFileSync(BUNDLE, 'utf8') } } : { workflowsPath };
  const replaying = { ...workflows, dataConverter: DATA_CONVERTER };
  let replayed = 0;
  for await (const result of replayHistories(replaying, histories.values())) {
    if (result.error) throw result.error;
    replayed += 1;
  }
  if (replayed < histories.size) throw new Error(`only ${replayed} of ${histories.size} histories were replayed`);
}

/**
 * As Temporal's `Worker.runReplayHistories`, which leaves two hooks that run for each promise of the process. They would
 * run, and hold the memory of this test file, during all later files.
 */
export async function* replayHistories(
  ...replay: Parameters<typeof Worker.runReplayHistories>
): AsyncGenerator<ReplayResult, void> {
  try {
    yield* Worker.runReplayHistories(...replay);
  } finally {
    globalHandlers.uninstall();
  }
}

/** The shape of a history: the types of its events and the names in them, without values. */
function shapeOf({ events }: History): string {
  const shapes = (events ?? []).map((event) => {
    const name =
      event.workflowExecutionStartedEventAttributes?.workflowType?.name ??
      event.activityTaskScheduledEventAttributes?.activityType?.name ??
      event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowType?.name ??
      event.workflowExecutionSignaledEventAttributes?.signalName ??
      event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.name ??
      event.markerRecordedEventAttributes?.markerName;
    return `${event.eventType} ${name ?? ''}`;
  });
  return shapes.join('\n');
}
