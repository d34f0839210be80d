import { setTimeout as delay } from 'node:timers/promises';
import {
  type BatchSummary,
  expectedBatchEnd,
  type LiveBatch,
  type RowPage,
  type RowView,
  type RowViews,
  unknownBatch,
} from '../../client/batch';
import { type ResultLine, TABLE_HEAD, tableLine } from '../../client/batch/result-line';
import { type ManifestExpected } from '../../contracts/manifest';
import { ID_PATTERN } from '../../contracts/identifiers';
import { type ParkedFor } from '../../contracts/render/decision';
import { ROW_STATES } from '../../contracts/states';
import { ifTemporalAnswers } from './if-temporal-answers';
import { type Studio } from '../server/studio';

/** A batch with the rows that its page shows. */
export interface BatchView {
  readonly id: string;
  /** The version that `batchVersion` returns. */
  readonly version: string;
  readonly summary: BatchSummary;
  /** The expected end. It is not part of the version, because it changes all the time. */
  readonly expected: ManifestExpected | null;
  /** Whether Temporal has answered. */
  readonly isLive: boolean;
  /** Whether the batch's workflow runs; false if Temporal has not answered. */
  readonly isRunning: boolean;
  readonly grid: RowPage & RowSelection;
  /** The first rows that wait for a decision, and the first rows that failed. */
  readonly parked: RowPage;
  readonly failed: RowPage;
  /** Hashes of the grid's outputs that are in the store. */
  readonly storedHashes: ReadonlySet<string>;
}

/** The rows that a page requests. */
export interface RowSelection {
  readonly state: RowView['state'] | undefined;
  /** Prefix of the keys of the rows; empty for all rows. */
  readonly key: string;
  /** From 1. */
  readonly page: number;
}

export const ROWS_SHOWN = 100;

/** Maximum number of rows in the list of parked rows, and in the list of failed rows. */
const LISTED_ROWS = 20;

/**
 * Longest wait for a batch's summary. The first read of a large batch takes longer: about 1 s for 100,000 rows. If a
 * later read takes longer, the summary of the last read is shown.
 */
const READ_TIMEOUT_MS = 100;

interface LastSummary {
  readonly summary: BatchSummary;
  /** Grows from read to read, so that an earlier read that ends later does not replace a newer summary. */
  readonly read: number;
}

/** The last summary of each batch, by id. */
const lastSummaries = new WeakMap<RowViews, Map<string, LastSummary>>();
let reads = 0;

/** The states by which rows can be filtered, in the order in which the page lists them. */
export const FILTERS: readonly RowView['state'][] = ['under way', 'pending', ...ROW_STATES];

/** Reads a page's query. Ignores an unknown state and an invalid page number. */
export function rowSelection(query: Readonly<Record<string, string>>): RowSelection {
  const { state, key = '', page = '1' } = query;
  return {
    state: FILTERS.find((one) => one === state),
    key: key.slice(0, 64),
    page: /^[1-9]\d{0,6}$/.test(page) ? Number(page) : 1,
  };
}

/** A batch's view; undefined while its rows are read for the first time. @throws Refused if the batch is unknown. */
export async function batchView(studio: Studio, id: string, selection: RowSelection): Promise<BatchView | undefined> {
  const { rows } = studio.dailies.client.batches;
  const live = await liveOf(studio, id);
  const summary = await latestSummary(studio, id, live);
  if (summary === undefined) return undefined;
  const part = async (state: RowView['state'] | undefined, key: string, offset: number, limit: number) =>
    (await rows.page(id, { state, key, offset, limit }, live)) ?? { matching: 0, rows: [] };
  const { counts } = summary;
  const none = { matching: 0, rows: [] };
  const { state, key, page } = selection;
  const grid = await part(state, key, (page - 1) * ROWS_SHOWN, ROWS_SHOWN);
  return {
    id,
    version: versionOf(live, summary),
    summary,
    expected: await expectedOf(studio, id, live),
    isLive: live !== undefined,
    isRunning: live?.isRunning === true,
    grid: { ...grid, ...selection },
    parked: counts.parked === 0 ? none : await part('parked', '', 0, LISTED_ROWS),
    failed: counts.failed === 0 ? none : await part('failed', '', 0, LISTED_ROWS),
    storedHashes: await storedHashesOf(studio, grid.rows),
  };
}

/** The expected end of a batch; null if there is no estimate. */
export async function expectedEndOf(studio: Studio, id: string): Promise<ManifestExpected | null> {
  return expectedOf(studio, id, await liveOf(studio, id));
}

async function expectedOf(
  { dailies: { store } }: Studio,
  id: string,
  live: LiveBatch | undefined,
): Promise<ManifestExpected | null> {
  const begun = await store.batches.begun(id);
  return begun === undefined ? null : expectedBatchEnd(store, begun, live?.status);
}

/** The version of the page that a person sees while the rows are read for the first time. */
export const READING = 'reading';

/**
 * A version that changes with the batch's summary and with its state in Temporal; `READING` while the rows are read for
 * the first time.
 *
 * @throws Refused if the batch is unknown.
 */
export async function batchVersion(studio: Studio, id: string): Promise<string> {
  const live = await liveOf(studio, id);
  const summary = await latestSummary(studio, id, live);
  return summary === undefined ? READING : versionOf(live, summary);
}

function versionOf(live: LiveBatch | undefined, summary: BatchSummary): string {
  return JSON.stringify([live, summary]);
}

/**
 * The summary, or the last one if reading takes longer than `READ_TIMEOUT_MS`. Undefined if no read has ended yet.
 *
 * @throws Refused if no batch has the id.
 */
async function latestSummary(
  studio: Studio,
  id: string,
  live: LiveBatch | undefined,
): Promise<BatchSummary | undefined> {
  const { rows } = studio.dailies.client.batches;
  const last = lastSummaries.get(rows) ?? new Map<string, LastSummary>();
  lastSummaries.set(rows, last);
  const read = (reads += 1);
  const reading = summaryOf(studio, id, live).then((summary) => {
    if (read > (last.get(id)?.read ?? 0)) last.set(id, { summary, read });
    return summary;
  });
  return (await readInTime(reading)) ?? last.get(id)?.summary;
}

/** @throws Refused if no batch has the id. */
async function summaryOf(
  { dailies: { client, store } }: Studio,
  id: string,
  live: LiveBatch | undefined,
): Promise<BatchSummary> {
  const summary = ID_PATTERN.test(id) ? await client.batches.rows.summary(id, live) : undefined;
  if (summary === undefined) throw await unknownBatch(store, id);
  return summary;
}

/** The results of a batch as lines of text. @throws Refused if the batch is unknown. */
export async function resultLines(studio: Studio, id: string, kind: 'jsonl' | 'csv'): Promise<AsyncIterable<string>> {
  const { client, store } = studio.dailies;
  const live = await liveOf(studio, id);
  const results = ID_PATTERN.test(id) ? await client.batches.rows.results(id, live) : undefined;
  if (results === undefined) throw await unknownBatch(store, id);
  return kind === 'csv' ? tableOf(results) : objectsOf(results);
}

async function* tableOf(results: AsyncIterable<ResultLine>): AsyncGenerator<string> {
  yield `${TABLE_HEAD}\n`;
  for await (const line of results) yield `${tableLine(line)}\n`;
}

async function* objectsOf(results: AsyncIterable<ResultLine>): AsyncGenerator<string> {
  for await (const line of results) yield `${JSON.stringify(line)}\n`;
}

/** The reason why a parked row waits; undefined for a production, whose own page shows the reason. */
export function parkedForOf({ kind, end }: RowView): ParkedFor | undefined {
  return kind === 'production' ? undefined : (end?.parkedFor ?? 'failed');
}

async function liveOf(studio: Studio, id: string): Promise<LiveBatch | undefined> {
  return ifTemporalAnswers(studio, () => studio.dailies.client.batches.live(id));
}

/** Undefined if reading takes longer than `READ_TIMEOUT_MS`. Reading continues. */
async function readInTime<T>(reading: Promise<T>): Promise<T | undefined> {
  const timer = new AbortController();
  const timeout = delay(READ_TIMEOUT_MS, undefined, { signal: timer.signal }).catch(() => undefined);
  try {
    return await Promise.race([reading, timeout]);
  } finally {
    timer.abort();
    // Ignore a later failure: the next read reports it.
    reading.catch(() => undefined);
  }
}

async function storedHashesOf({ dailies }: Studio, rows: readonly RowView[]): Promise<ReadonlySet<string>> {
  const hashes = new Set(rows.flatMap(({ end }) => end?.asset?.sha256 ?? []));
  const stored = await Promise.all(
    [...hashes].map(async (sha256) => ((await dailies.store.assets.sizeOf({ sha256 })) === null ? [] : [sha256])),
  );
  return new Set(stored.flat());
}
