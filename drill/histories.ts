import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { DefaultLogger, makeTelemetryFilterString, Runtime, Worker } from '@temporalio/worker';
import { type TemporalConnection } from '../client';
import { DATA_CONVERTER } from '../client/temporal/large-payloads';
import { type SubmitOutcome } from '../contracts/activities';
import { isOwnTaskId } from '../store';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

export interface RunHistory {
  readonly workflowId: string;
  readonly history: History;
}

const PAID_ACTIVITIES: ReadonlySet<string> = new Set(['submitTask', 'executeTask']);

const BUNDLE = join(__dirname, '..', 'workflow-bundle.js');

export async function allHistories({ client }: TemporalConnection): Promise<readonly RunHistory[]> {
  const histories: RunHistory[] = [];
  for await (const { workflowId, runId } of client.workflow.list()) {
    histories.push({ workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() });
  }
  return histories;
}

/** Ids of the gateway's tasks that a history's submits and executes returned: accepted, completed or failed. */
export function taskIdsIn({ history }: RunHistory): readonly string[] {
  const events = history.events ?? [];
  const submits = new Set(
    events
      .filter(({ activityTaskScheduledEventAttributes: scheduled }) =>
        PAID_ACTIVITIES.has(scheduled?.activityType?.name ?? ''),
      )
      .map(({ eventId }) => String(eventId)),
  );
  return events.flatMap(({ activityTaskCompletedEventAttributes: completed }) => {
    if (!submits.has(String(completed?.scheduledEventId))) return [];
    const payload = completed?.result?.payloads?.[0];
    if (payload == null) return [];
    return taskIdOf(defaultPayloadConverter.fromPayload<SubmitOutcome>(payload)) ?? [];
  });
}

function taskIdOf(outcome: SubmitOutcome): string | undefined {
  if (outcome.state === 'accepted') return outcome.taskId;
  if (outcome.state !== 'completed' && outcome.state !== 'failed') return undefined;
  const { take, taskId } = outcome;
  return taskId === null || isOwnTaskId(take.takeKey, taskId) ? undefined : taskId;
}

/** Replays histories with the current workflows. @returns workflow id and reason of each replay that fails. */
export async function replay(histories: readonly RunHistory[]): Promise<readonly string[]> {
  // Unless its log lines are forwarded, the native core prints them to stdout, where the report goes.
  const logging = { filter: makeTelemetryFilterString({ core: 'ERROR' }), forward: {} };
  Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging }, shutdownSignals: [] });
  const code = await readFile(BUNDLE, 'utf8');
  const replaying = { workflowBundle: { code }, dataConverter: DATA_CONVERTER };
  const failed: string[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories(replaying, histories)) {
    if (error !== undefined) failed.push(`${workflowId}: ${error.message}`);
  }
  return failed;
}
