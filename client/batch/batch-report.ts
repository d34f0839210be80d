import { type Client, ServiceError, isGrpcServiceError, type WorkflowHandle } from '@temporalio/client';
import { type BatchStatus, type RowEnd } from '../../contracts/render/batch';
import { type PageRow } from '../../contracts/render/batch-page';
import { type BatchState, ROW_STATES, type RowState } from '../../contracts/states';
import { type BatchReadyByStatus } from '../../contracts/render/batch-time';
import { type Manifest, type ManifestExpected, type ManifestNotice } from '../../contracts/manifest';
import { batchWorkflowId } from '../../contracts/identifiers';
import { type BegunBatch, type Hold, readBatchIndex, readBatchPage, type Store } from '../../store';
import { batchStatusQuery } from '../../workflows/messages';
import { ifFound } from '../temporal/live-status';
import { heldInWords } from '../status/wait-reason';
import { RESULTS_NAME } from '../records/out-names';
import { againCommand, quoted } from '../status/again-command';
import { resolveCommand } from '../../contracts/commands';
import { resumeCommand } from '../wording/commands';
import { exactCredits } from '../../contracts/money/credits';
import { currentEnd } from './current-end';
import { type RowResult } from './result-line';
import { expectedBatchEnd } from './expected-batch-end';
import { readEnds } from './row-ends';
import { isUnpriced } from './row-table';
import { createOutFolders } from '../records/out-folders';

/** A row of the last run, with its present state and its end. */
export interface RowStanding extends RowResult {
  readonly row: PageRow;
}

/** The report that `--json` prints. Other programs read its fields, so fields are added, never changed. */
export interface BatchReport {
  readonly batch: string;
  /** The account that paid for the last run. The report ignores results that other accounts paid for. */
  readonly account: string;
  readonly title: string;
  readonly state: BatchState;
  readonly reason: string | null;
  readonly file: string | null;
  /** Number of the batch's last run, from 1. */
  readonly run: number;
  readonly rows: number;
  readonly counts: Readonly<Record<RowState | 'underWay' | 'pending', number>>;
  /** Sum of the known charges of each row's last end. Omits rows changed since then. */
  readonly credits: number;
  /** Rows that failed, were skipped or were cancelled, in the order of the file. */
  readonly failures: readonly { readonly key: string; readonly state: RowState; readonly reason: string | null }[];
  /** Rows that wait for a decision, each with the next command to type. */
  readonly parked: readonly { readonly key: string; readonly reason: string | null; readonly command: string }[];
  /**
   * Number of parked rows whose submit is unclear: the gateway may charge for each. A row with a production counts if
   * its `parkedFor` is `unclear`.
   */
  readonly unclear: number;
  /** Number of rows whose task has ended with an unknown charge, so that `credits` omits it. Omits productions. */
  readonly tasksWithoutPrice: number;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Progress against the batch's `readyBy`; null if it has none. */
  readonly readyBy: BatchReadyByStatus | null;
  /** A person's pause of a running batch, with the command that ends the pause; otherwise null. */
  readonly paused: Manifest['paused'];
  /** Present while the batch is held after an interruption: it renders nothing new until a command continues it. */
  readonly held?: true;
  /** The expected end of a running batch; null if there is no estimate. */
  readonly expected: ManifestExpected | null;
  /** Notices of this run, if the file has `notify`. */
  readonly notices: readonly ManifestNotice[];
  /** Absolute path of the folder with the batch's results; null if there is none. */
  readonly out: string | null;
}

/** The state of a batch's workflow, which can be read every second at little cost. */
export interface LiveBatch {
  /** Undefined if the workflow is not running or does not answer. */
  readonly status: BatchStatus | undefined;
  readonly isRunning: boolean;
  /** The workflow's status if it has closed without completing, such as `TERMINATED`; otherwise null. */
  readonly endedAs: string | null;
}

/** Time limit of the query. A worker usually answers within 10 ms. */
const ANSWER_LIMIT_MS = 5_000;

export async function liveBatch(temporal: Client, storeId: string, batchId: string): Promise<LiveBatch> {
  const handle = temporal.workflow.getHandle(batchWorkflowId(storeId, batchId));
  const name = (await ifFound(handle.describe()))?.status.name;
  const isRunning = name === 'RUNNING' || name === 'CONTINUED_AS_NEW';
  const isOwnEnd = name === undefined || name === 'COMPLETED' || isRunning;
  return { isRunning, status: isRunning ? await ask(handle) : undefined, endedAs: isOwnEnd ? null : name };
}

async function ask(handle: WorkflowHandle): Promise<BatchStatus | undefined> {
  try {
    return await handle.client.withDeadline(Date.now() + ANSWER_LIMIT_MS, () => handle.query(batchStatusQuery));
  } catch (error) {
    if (error instanceof ServiceError && isGrpcServiceError(error.cause)) return undefined;
    throw error;
  }
}

/**
 * All rows of a batch's last run in the order of its file, read page by page. Ignores results that another account paid
 * for.
 */
export async function* rowStandings(
  store: Store,
  begun: BegunBatch,
  batchId: string,
  live: LiveBatch | undefined,
): AsyncGenerator<RowStanding> {
  const ends = await readEnds(store, batchId, begun.account);
  const underWay = new Set(live?.status?.underWay);
  const { pages } = await readBatchIndex(store.assets, begun.index);
  for (const ref of pages) {
    for (const row of (await readBatchPage(store.assets, ref)).rows) {
      const noted = ends.get(row.key);
      const own = noted?.digest === row.digest ? noted : undefined;
      const end = own === undefined ? null : await currentEnd(store, begun, batchId, row, own);
      yield { row, state: underWay.has(row.key) ? 'under way' : (end?.state ?? 'pending'), end };
    }
  }
}

/** The report of a batch; undefined if the batch has never begun. @param live undefined if Temporal is not running. */
export async function batchReport(
  store: Store,
  batchId: string,
  live: LiveBatch | undefined,
): Promise<BatchReport | undefined> {
  const { batches } = store;
  const begun = await batches.begun(batchId);
  if (begun === undefined) return undefined;
  // Read the head first: a batch's end is recorded after the ends of its rows.
  const head = await batchHead(store, begun, batchId, live);
  const counts: Record<RowState | 'underWay' | 'pending', number> = {
    ...{ completed: 0, failed: 0, skipped: 0, cancelled: 0, parked: 0 },
    ...{ underWay: 0, pending: 0 },
  };
  const failures = [];
  const parked = [];
  let credits = 0;
  let byFallback = 0;
  let unclear = 0;
  let tasksWithoutPrice = 0;
  for await (const { row, state, end } of rowStandings(store, begun, batchId, live)) {
    counts[state === 'under way' ? 'underWay' : state] += 1;
    credits += end?.credits ?? 0;
    if (end !== null && isUnpriced(end)) tasksWithoutPrice += 1;
    if (state === 'completed' && end?.fallback === true) byFallback += 1;
    if (state === 'parked') {
      if (end?.parkedFor === 'unclear') unclear += 1;
      parked.push({ key: row.key, reason: end?.reason ?? null, command: commandFor(batchId, row, end) });
    } else if (isFailure(state)) failures.push({ key: row.key, state, reason: end?.reason ?? null });
  }
  // Take the fallback count from the store, since the workflow does not count rows that earlier runs completed.
  const readyBy = head.readyBy && { ...head.readyBy, fallback: byFallback };
  const expected = await expectedBatchEnd(store, begun, live?.status);
  return {
    ...head,
    readyBy,
    expected,
    counts,
    credits: exactCredits(credits),
    failures,
    parked,
    unclear,
    tasksWithoutPrice,
  };
}

/** A report without the fields that are computed from its rows. */
export type BatchHead = Omit<
  BatchReport,
  'counts' | 'credits' | 'failures' | 'parked' | 'unclear' | 'tasksWithoutPrice' | 'expected'
>;

/** Reads a report's head but not the rows, so `readyBy.fallback` counts only rows that the last run completed. */
export async function batchHead(
  store: Store,
  begun: BegunBatch,
  batchId: string,
  live: LiveBatch | undefined,
): Promise<BatchHead> {
  const { batches } = store;
  const ended = await batches.ended(batchId, begun.run);
  const file = (await batches.origin(batchId)) ?? null;
  const index = await readBatchIndex(store.assets, begun.index);
  const again = quoted(await againCommand(store, { what: 'batch', id: batchId }));
  const state = stateOf(ended, live, again);
  const hold = state.state === 'running' ? await store.holds.inForce(batchId) : undefined;
  return {
    batch: batchId,
    account: begun.account,
    title: index.title,
    ...state,
    ...(hold?.by === 'interruption' ? { held: true, reason: state.reason ?? heldInWords(hold, again) } : {}),
    file,
    run: begun.run,
    rows: index.rows,
    startedAt: begun.at,
    endedAt: ended?.endedAt ?? null,
    readyBy: readyByOf(begun, live?.status ?? ended),
    paused: hold?.by === 'person' ? pauseOf(batchId, hold) : null,
    notices: await store.notices.list({ kind: 'batch', id: batchId, renderId: begun.renderId }),
    out: await createOutFolders(store).folderWith(batchId, RESULTS_NAME),
  };
}

function pauseOf(batchId: string, { reason, since }: Hold): Manifest['paused'] {
  return { reason, since, command: resumeCommand(batchId) };
}

function readyByOf({ readyBy }: BegunBatch, status: BatchStatus | undefined): BatchReadyByStatus | null {
  if (readyBy === undefined) return null;
  return status?.readyBy ?? { at: readyBy.at, urgentFrom: null, lastMoment: null, warning: null, fallback: 0 };
}

function stateOf(
  ended: BatchStatus | undefined,
  live: LiveBatch | undefined,
  again: string,
): { readonly state: BatchState; readonly reason: string | null } {
  if (live?.isRunning === true) return { state: 'running', reason: live.status?.reason ?? null };
  if (ended !== undefined) return { state: ended.state, reason: ended.reason };
  const as = live?.endedAs ?? null;
  if (as !== null) return { state: 'incomplete', reason: `its workflow ended as ${as}; ${again} goes on with it` };
  return { state: 'running', reason: `interrupted; ${again} goes on where it stopped` };
}

function isFailure(state: RowStanding['state']): state is 'failed' | 'skipped' | 'cancelled' {
  return state !== 'completed' && ROW_STATES.some((one) => one === state);
}

/** The command that resolves a parked row; for a production, the command that shows why its shots wait. */
function commandFor(batchId: string, { key, kind }: PageRow, end: RowEnd | null): string {
  if (kind === 'production') return `dailies status ${batchId}.${key}`;
  return resolveCommand(batchId, key, end?.parkedFor ?? 'failed');
}
