import { unknownBatch } from '../../client/batch';
import { createBatches, openStore } from '../../store';
import { readConfig } from '../../workers/config';
import { type BatchOutcomeOptions, batchToEnd, rulesOf } from '../batch-to-end';
import { startedInWords } from '../batch-wording';
import { type ExitCode } from '../exit-codes';
import { listenForInterrupt } from '../interrupt';
import { checkGateway } from '../preflight';
import { type Session, tellOfSandbox } from '../session';
import { tell } from '../streams';
import { checkParallel } from './batch';

/** Renders the rows of a batch again that have failed; each is paid for anew where the gateway accepts it. */
export async function batchRetryFailed(batchId: string, options: BatchOutcomeOptions): Promise<ExitCode> {
  const config = readConfig();
  checkParallel(options.parallel);
  const interrupt = listenForInterrupt();
  const store = await openStore(config.storeFolder);
  if ((await createBatches(store.records).begun(batchId)) === undefined) throw unknownBatch(batchId);
  tellOfSandbox(config);
  await checkGateway(config);
  const begin = async ({ client }: Session): Promise<void> => {
    tell(startedInWords(batchId, await client.batches.retryFailed(batchId, rulesOf(options))));
  };
  return batchToEnd(config, store, { batchId, begin }, interrupt, options);
}
