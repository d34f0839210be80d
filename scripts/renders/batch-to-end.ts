import { waitForBatchNotices } from '../../client';
import {
  batchReport,
  expectedBatchEnd,
  type LiveBatch,
  ResultFiles,
  type StartedBatch,
  unknownBatch,
  watchBatch,
} from '../../client/batch';
import { expectedInWords } from '../../client/plan/expected-in-words';
import { type Priority } from '../../contracts/gateway/arbiter';
import { type BatchBounds } from '../../contracts/render/batch';
import { type Store } from '../../store';
import { type Config } from '../../workers/config/config';
import { ignoredInWords, printBatch, progressInWords, startedInWords } from '../wording/batch-report';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { type Interrupt } from '../process/interrupt';
import { hasWorker, LEAVING, NO_WORKER, openSession, tellOfHeld } from '../session/session';
import { type Session } from '../session/open-session';
import { printJson, tell } from '../process/streams';
import { INTERRUPTED_BEFORE } from './going-on';
import { createOutFolders } from '../../client/records/out-folders';

export interface BatchOutcomeOptions {
  readonly priority?: Priority;
  readonly parallel?: number;
  readonly stopAfterFailures?: number;
  readonly out?: string;
  /** False if the command ends as soon as the batch has started. */
  readonly wait?: boolean;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

export interface BatchToBegin {
  readonly batchId: string;
  readonly begin: (session: Session) => Promise<void>;
  /** The command that continues the batch after an interruption. Default: the same command. */
  readonly continuedBy?: string;
}

/** Minimum time between progress lines. More lines would fill the screen. */
const TELL_EVERY_MS = 5_000;

/** The batch rules that the command line sets. */
export function rulesOf({ parallel, stopAfterFailures, priority }: BatchOutcomeOptions): Partial<BatchBounds> {
  return {
    ...(parallel === undefined ? {} : { parallel }),
    ...(stopAfterFailures === undefined ? {} : { stopAfterFailures }),
    ...(priority === undefined ? {} : { priority }),
  };
}

/** Prints how a batch was started, and which of the given rules are ignored because it already runs. */
export async function tellStarted(
  store: Store,
  batchId: string,
  started: StartedBatch,
  given: Partial<BatchBounds>,
): Promise<void> {
  tell(startedInWords(batchId, started));
  const running = started.is === 'joined' ? await store.batches.begun(batchId) : undefined;
  const ignored = running && ignoredInWords(given, running);
  if (ignored !== undefined) tell(ignored);
}

/**
 * Starts a batch. Unless `wait` is false, follows the batch to its end and writes its results to the out folder as rows
 * end.
 */
export async function batchToEnd(
  config: Config,
  store: Store,
  { batchId, begin, continuedBy = 'the same command again' }: BatchToBegin,
  { signal, interrupted }: Interrupt,
  options: BatchOutcomeOptions,
): Promise<ExitCode> {
  const places = createOutFolders(store);
  // Read the folder before the batch starts: another command may name another folder while the batch runs.
  const folder = await places.folderOf(batchId, options.out);
  const session = await openSession(config, store);
  const isAwaited = options.wait !== false;
  let hasEnded = false;
  let mayHaveBegun = false;
  let lastSeen: LiveBatch | undefined;
  let exitCode: ExitCode = EXIT.completed;
  let stopped = false;
  try {
    if (!signal.aborted) {
      await Promise.race([begin(session), interrupted, session.lost]);
      mayHaveBegun = true;
    }
    if (!signal.aborted) {
      if (options.out !== undefined) await store.outPlaces.noteFolder(batchId, folder);
      await tellOfHeld(session, batchId);
      if (!(await hasWorker(session))) tell(NO_WORKER);
      if (isAwaited) {
        const files = await resultFiles(store, batchId, folder);
        hasEnded = await followBatch(session, batchId, files, signal, {
          ...options,
          onLook: (live) => (lastSeen = live),
        });
        // Wait for the notices first, so that the report contains their outcome.
        if (hasEnded && session.set !== null) await waitForBatchNotices(store, batchId);
        if (hasEnded) exitCode = await reportEnd(session, batchId, files, options);
      } else if (options.json === true) {
        const look = session.client.batches.live(batchId).catch(() => undefined);
        lastSeen = await Promise.race([look, interrupted.then(() => undefined)]);
      }
    }
  } finally {
    const isLeaving = mayHaveBegun && !hasEnded && (signal.aborted || !isAwaited);
    if (isLeaving && session.set !== null) tell(LEAVING);
    ({ stopped } = await session.close());
    if (isLeaving)
      tell(stopped ? `Stopped. What was paid for is kept. Run ${continuedBy} to continue.` : detached(batchId));
  }
  if (hasEnded) return exitCode;
  if (!mayHaveBegun) tell(INTERRUPTED_BEFORE);
  if (options.json === true) {
    // Report the rows that were under way when the command left: their tasks may be paid for and still run.
    const left = lastSeen && { ...lastSeen, isRunning: lastSeen.isRunning && !stopped };
    printJson((await batchReport(store, batchId, left)) ?? { batch: batchId });
  }
  return signal.aborted ? EXIT.interrupted : EXIT.completed;
}

/** Prints the progress of a batch and writes its results as rows end. @returns whether the batch has ended. */
export async function followBatch(
  { client, lost, store }: Session,
  batchId: string,
  files: ResultFiles,
  signal: AbortSignal,
  { quiet, onLook }: Pick<BatchOutcomeOptions, 'quiet'> & { readonly onLook?: (live: LiveBatch) => void },
): Promise<boolean> {
  let [toldAtMs, told] = [0, ''];
  const tellProgress = async (live: LiveBatch): Promise<void> => {
    const words = progressInWords(live);
    if (quiet === true || words === '' || words === told || Date.now() - toldAtMs < TELL_EVERY_MS) return;
    [toldAtMs, told] = [Date.now(), words];
    const begun = await store.batches.begun(batchId);
    const expected = begun === undefined ? null : await expectedBatchEnd(store, begun, live.status);
    tell(`${batchId}: ${words}${expected === null ? '' : `, ${expectedInWords(expected, Date.now())}`}`);
  };
  const look = async (live: LiveBatch): Promise<void> => {
    onLook?.(live);
    await files.append();
    if (live.isRunning) await tellProgress(live);
  };
  return Promise.race([watchBatch(client.batches, batchId, look, signal), lost]);
}

/**
 * Rewrites `results.jsonl` and `results.csv` in full, and prints the report.
 *
 * @returns `completed` if all rows are completed, else `incomplete`.
 */
export async function reportEnd(
  { client, store }: Session,
  batchId: string,
  files: ResultFiles,
  { json }: Pick<BatchOutcomeOptions, 'json'>,
): Promise<ExitCode> {
  const moved = await files.complete(await client.batches.live(batchId));
  const report = await client.batches.report(batchId);
  if (report === undefined) throw await unknownBatch(store, batchId);
  if (json === true) printJson(report);
  else printBatch(report);
  for (const path of moved) tell(`A file of yours stood in the way and was moved to ${path}.`);
  return report.counts.completed === report.rows ? EXIT.completed : EXIT.incomplete;
}

export async function resultFiles(store: Store, batchId: string, folder: string): Promise<ResultFiles> {
  const begun = await store.batches.begun(batchId);
  if (begun === undefined) throw await unknownBatch(store, batchId);
  return ResultFiles.open({ store, batchId, begun, folder });
}

function detached(batchId: string): string {
  return `Detached; batch "${batchId}" goes on. Look again with \`dailies batch status ${batchId}\`.`;
}
