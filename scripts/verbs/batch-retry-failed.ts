import { unknownBatch } from '../../client/batch';
import { openOwnStore } from '../../workers/store/own-store';
import { type BatchOutcomeOptions, batchToEnd, rulesOf, tellStarted } from '../renders/batch-to-end';
import { readConfig } from '../process/command-config';
import { type ExitCode } from '../process/exit-codes';
import { listenForInterrupt } from '../process/interrupt';
import { checkGateway } from '../session/preflight';
import { tellOfSandbox } from '../session/session';
import { type Session } from '../session/open-session';
import { askBeforeSpending } from '../session/which-ledger';
import { checkParallel } from './batch';

export interface RetryFailedOptions extends BatchOutcomeOptions {
  readonly missing?: boolean;
}

/**
 * Renders the failed rows of a batch again. With `missing`, also renders the other rows without a result, except
 * skipped rows. Each new task that the gateway accepts is paid for.
 */
export async function batchRetryFailed(batchId: string, options: RetryFailedOptions): Promise<ExitCode> {
  const config = readConfig();
  checkParallel(options.parallel);
  const interrupt = listenForInterrupt();
  const store = await openOwnStore(config);
  if ((await store.batches.begun(batchId)) === undefined) throw await unknownBatch(store, batchId);
  tellOfSandbox(config);
  await askBeforeSpending(config, store);
  await checkGateway(config);
  const begin = async ({ client }: Session): Promise<void> => {
    const given = rulesOf(options);
    const started = await client.batches.retryFailed(batchId, { missing: options.missing === true, ...given });
    await tellStarted(store, batchId, started, given);
  };
  // An interrupted row has not failed, so the command continues it only with `--missing`.
  const continuedBy = `\`dailies batch retry-failed ${batchId} --missing\``;
  return batchToEnd(config, store, { batchId, begin, continuedBy }, interrupt, options);
}
