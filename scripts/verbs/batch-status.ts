import { batchReport, unknownBatch } from '../../client/batch';
import { openOwnStore } from '../../workers/store/own-store';
import { printBatch, tellOfPayer } from '../wording/batch-report';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { openSessionIfUp } from '../session/session';
import { printJson } from '../process/streams';

/** Shows the state of a batch. Starts nothing. */
export async function batchStatus(batchId: string, { json }: { readonly json?: boolean }): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  const session = await openSessionIfUp(config, store);
  try {
    const report = await (session?.client.batches.report(batchId) ?? batchReport(store, batchId, undefined));
    if (report === undefined) throw await unknownBatch(store, batchId);
    if (json === true) printJson(report);
    else printBatch(report);
    tellOfPayer(report, config.account);
    return EXIT.completed;
  } finally {
    await session?.close();
  }
}
