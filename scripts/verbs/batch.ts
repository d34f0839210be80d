import { Refused } from '../../client';
import { planBatch, type PlanOptions } from '../../client/batch';
import { formatRowIssues } from '../../client/batch-file/row-issue';
import { checkBatch, type CheckedBatch, rulesOfFile } from '../../client/batch-file/check-batch';
import { absolute } from '../../client/wording/working-folder';
import { type BatchBounds, MAX_PARALLEL } from '../../contracts/render/batch';
import { viewStore } from '../../store';
import { type Config } from '../../workers/config/config';
import { checkOwnStore, openOwnStore } from '../../workers/store/own-store';
import { type BatchOutcomeOptions, batchToEnd, rulesOf, tellStarted } from '../renders/batch-to-end';
import { plannedInWords } from '../wording/batch-report';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { listenForInterrupt } from '../process/interrupt';
import { checkNotifyTarget } from '../session/notify-target';
import { checkGateway } from '../session/preflight';
import { VerbFailed } from '../process/run-verb';
import { tellOfSandbox } from '../session/session';
import { type Session } from '../session/open-session';
import { print, printJson } from '../process/streams';
import { askBeforeSpending, tellHowToFindStore, tellOfLedger } from '../session/which-ledger';

export interface BatchOptions extends BatchOutcomeOptions {
  readonly id?: string;
  readonly dryRun?: boolean;
}

/** Checks every row of a file, and renders the rows that have changed or are not completed. */
export async function batch(file: string, options: BatchOptions): Promise<ExitCode> {
  const config = readConfig(file);
  checkParallel(options.parallel);
  const interrupt = listenForInterrupt();
  const loaded = await checkBatch(file, { policy: config, ...(options.id === undefined ? {} : { id: options.id }) });
  if (!loaded.ok) throw new VerbFailed(EXIT.refused, formatRowIssues(loaded.issues, loaded.count));
  const { batch: checked } = loaded;
  try {
    const from = { path: absolute(file), takeOver: options.id !== undefined };
    if (options.dryRun === true) return await dryRun(checked, config, { ...options, ...from });
    tellOfSandbox(config);
    await checkNotifyTarget(config, checked.notify?.url);
    await checkGateway(config);
    const store = await openOwnStore(config);
    await askBeforeSpending(config, store);
    tellHowToFindStore(config);
    const request = {
      batch: checked,
      ...from,
      ...rulesOfFile(checked),
      ...rulesOf(options),
    };
    const begin = async ({ client }: Session): Promise<void> => {
      await tellStarted(store, checked.id, await client.batches.start(request), {
        ...rulesGiven(checked),
        ...rulesOf(options),
      });
    };
    return await batchToEnd(config, store, { batchId: checked.id, begin }, interrupt, options);
  } finally {
    await checked.close();
  }
}

/** The bounds that the file itself sets, without defaults. */
function rulesGiven({ parallel, stopAfterFailures, priority }: CheckedBatch): Partial<BatchBounds> {
  return {
    ...(parallel === null ? {} : { parallel }),
    ...(stopAfterFailures === null ? {} : { stopAfterFailures }),
    ...(priority === null ? {} : { priority }),
  };
}

export function checkParallel(parallel: number | undefined): void {
  if (parallel === undefined || parallel <= MAX_PARALLEL) return;
  throw new Refused(`--parallel is ${parallel}; a batch has at most ${MAX_PARALLEL} rows under way at once`);
}

async function dryRun(
  checked: CheckedBatch,
  config: Config,
  { json, path, takeOver }: BatchOptions & Pick<PlanOptions, 'path' | 'takeOver'>,
): Promise<ExitCode> {
  const { account, prices } = config;
  const store = await viewStore(config.storeFolder);
  if (config.storePlace.exists) await checkOwnStore(config);
  await tellOfLedger(config, store);
  const quotes = store.account(account).quotes(prices);
  const plan = await planBatch(checked, { store, account, quotes, path, takeOver });
  const { rows, open, quote, unchecked } = plan;
  if (json === true) printJson({ batch: checked.id, title: checked.title, rows, open, quote, unchecked });
  else print(plannedInWords(checked.id, plan));
  return EXIT.completed;
}
