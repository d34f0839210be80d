import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TemporalConnection } from '../../client';
import { type History } from '../support/replay';

/** Histories in the repository, by the day of their recording: one file per scene, with all of its workflows. */
export const HISTORIES = join(__dirname, 'histories');

/** The history of one run in the form that a replay takes: enums and ids are numbers, bytes are base64. */
export interface RecordedRun {
  readonly workflowId: string;
  readonly history: { readonly events: readonly RecordedEvent[] };
}

export type RecordedEvent = Readonly<Record<string, unknown>>;

/** Names of the files, as `2026-11-21/no-film`. */
export function recordedScenes(): readonly string[] {
  return readdirSync(HISTORIES).flatMap((day) =>
    readdirSync(join(HISTORIES, day)).map((file) => `${day}/${file.replace(/\.json$/, '')}`),
  );
}

export function readScene(scene: string): readonly RecordedRun[] {
  return JSON.parse(readFileSync(fileOf(scene), 'utf8')) as RecordedRun[];
}

/** Writes the histories of an ended workflow and its children, one event a line. */
export async function recordScene(scene: string, temporal: TemporalConnection, root: string): Promise<void> {
  const runs = await runsFrom(temporal, root);
  const written = runs.map(({ workflowId, history }) => {
    const events = history.events.map((event) => JSON.stringify(event, withoutTraces)).join(',\n');
    return `{"workflowId":${JSON.stringify(workflowId)},"history":{"events":[\n${events}\n]}}`;
  });
  await mkdir(dirname(fileOf(scene)), { recursive: true });
  await writeFile(fileOf(scene), `[${written.join(',\n')}]\n`);
}

async function runsFrom(temporal: TemporalConnection, workflowId: string): Promise<readonly RecordedRun[]> {
  const fetched = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
  const children = (fetched.events ?? []).flatMap(
    ({ childWorkflowExecutionStartedEventAttributes: started }) => started?.workflowExecution?.workflowId ?? [],
  );
  const below = await Promise.all(children.map((child) => runsFrom(temporal, child)));
  return [{ workflowId, history: plain(fetched) }, ...below.flat()];
}

/** Temporal's own form, `historyToJSON`, needs all of its packages to share one copy of protobufjs. */
function plain(history: History): RecordedRun['history'] {
  const type = history.constructor as unknown as { toObject(message: History, options: object): unknown };
  return type.toObject(history, { longs: Number, bytes: String }) as RecordedRun['history'];
}

/** Identities, numbers and file names of failures: a replay does not need them, and they describe the machine. */
const TRACES = ['identity', 'stackTrace', 'workerVersion', 'requestId', 'taskId'];

function withoutTraces(key: string, value: unknown): unknown {
  if (TRACES.includes(key)) return undefined;
  // A worker's own queue is named after its process; the name of its normal queue is enough.
  if (key === 'taskQueue') return { name: (value as TaskQueue).normalName ?? (value as TaskQueue).name };
  return value;
}

interface TaskQueue {
  readonly name: string;
  readonly normalName?: string;
}

function fileOf(scene: string): string {
  return join(HISTORIES, `${scene}.json`);
}
