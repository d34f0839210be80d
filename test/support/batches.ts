import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BatchReport, type StartedBatch } from '../../client/batch';
import { checkBatch } from '../../client/batch-file/check-batch';
import { batchWorkflowId } from '../../contracts/identifiers';
import { type Notify } from '../../contracts/file/notify';
import { type Rig } from './rig';
import { until } from './until';

export interface RowsOptions {
  readonly parallel?: number;
  readonly stopAfterFailures?: number;
  readonly notify?: Notify;
  /** Deadline of the batch, and the fallback for late rows. */
  readonly time?: { readonly readyBy: string; readonly fallback?: object };
  /** Name of the file, which is that of the batch. Default: `ID.yaml`. */
  readonly file?: string;
  /** Whether a person named the id. */
  readonly takeOver?: boolean;
}

/** A row that needs no ffmpeg: the sandbox answers with a text at once. */
export function textRow(
  key: string,
  changes: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return { key, model: 'quill-text-1', prompt: `the lighthouse, ${key}`, ...changes };
}

/** A row with a clip, which takes as long as the sandbox renders. */
export function clipRow(
  key: string,
  changes: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return { key, model: 'beta-video', prompt: `the pier, ${key}`, duration: 5, resolution: '480p', ...changes };
}

/** A row with a picture, which takes as long as the sandbox renders. */
export function pictureRow(
  key: string,
  changes: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return { key, model: 'pixel-image-1', prompt: `the harbour, ${key}`, width: 64, height: 36, ...changes };
}

export function textRows(count: number): readonly Readonly<Record<string, unknown>>[] {
  return Array.from({ length: count }, (_, index) => textRow(`r${index + 1}`));
}

/** Starts a batch of these rows, as the command does from their file. */
export async function startRows(
  rig: Pick<Rig, 'client' | 'store'>,
  id: string,
  rows: readonly object[],
  { parallel = 16, stopAfterFailures, notify, time, file = `${id}.yaml`, takeOver = false }: RowsOptions = {},
): Promise<StartedBatch> {
  const models = { 'quill-text-1': { output: 'text', quick: false }, 'pixel-image-1': { output: 'image' } };
  const content = rows.some((row) => 'shots' in row) ? { productions: rows } : { models, generations: rows };
  const text = JSON.stringify({ ...content, ...time, ...(notify === undefined ? {} : { notify }) });
  return startFile(rig, id, text, {
    parallel,
    file,
    takeOver,
    ...(stopAfterFailures === undefined ? {} : { stopAfterFailures }),
  });
}

/** Starts a batch from the text of its file. */
async function startFile(
  { client, store }: Pick<Rig, 'client' | 'store'>,
  id: string,
  text: string,
  { parallel = 16, stopAfterFailures, file = `${id}.yaml`, takeOver = false }: RowsOptions = {},
): Promise<StartedBatch> {
  // Always the same path: another file would have to take the batch over.
  const folder = join(store.folder, '..', 'files');
  await mkdir(folder, { recursive: true });
  const path = join(folder, file);
  await writeFile(path, text);
  const loaded = await checkBatch(path, { id, policy: { fileValues: 'auto', dataUriMaxBytes: 1_000_000 } });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
  try {
    const bounds = { parallel, stopAfterFailures: stopAfterFailures ?? null };
    return await client.batches.start({ batch: loaded.batch, path, takeOver, ...bounds });
  } finally {
    await loaded.batch.close();
  }
}

/** Waits for a batch's end and returns its report. */
export async function batchEnded({ client }: Pick<Rig, 'client'>, id: string): Promise<BatchReport> {
  await until(async () => !(await client.batches.live(id)).isRunning);
  const report = await client.batches.report(id);
  if (report === undefined) throw new Error(`there is no batch ${id}`);
  return report;
}

/** Event count, size in bytes and longest event of each history of a batch's own workflow. */
export async function batchHistories(
  { temporal, store }: Pick<Rig, 'temporal' | 'store'>,
  id: string,
): Promise<readonly { readonly events: number; readonly bytes: number; readonly largestPayload: number }[]> {
  const workflowId = batchWorkflowId(store.id, id);
  const histories = [];
  for await (const { runId } of temporal.client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
    const { events = [] } = await temporal.client.workflow.getHandle(workflowId, runId).fetchHistory();
    const { historySize = 0 } = await temporal.client.workflow.getHandle(workflowId, runId).describe();
    const sizes = (events ?? []).map((event) => JSON.stringify(event).length);
    histories.push({ events: (events ?? []).length, bytes: historySize, largestPayload: Math.max(...sizes) });
  }
  return histories;
}
