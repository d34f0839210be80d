import { unknownBatch } from '../../client/batch';
import { openOwnStore } from '../../workers/store/own-store';
import { followBatch, reportEnd, resultFiles } from '../renders/batch-to-end';
import { printBatch } from '../wording/batch-report';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { listenForInterrupt } from '../process/interrupt';
import { hasWorker, NO_WORKER, openSession, tellOfHeld, whenCancelled } from '../session/session';
import { printJson, tell } from '../process/streams';
import { createOutFolders } from '../../client/records/out-folders';

export interface BatchCancelOptions {
  /** False if the command ends once the cancellation is sent. */
  readonly wait: boolean;
  readonly json?: boolean;
}

/** Cancels a batch and prints its report. With `wait`, waits for the paid tasks first, unless interrupted. */
export async function batchCancel(batchId: string, { wait, json }: BatchCancelOptions): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  if ((await store.batches.begun(batchId)) === undefined) throw await unknownBatch(store, batchId);
  const session = await openSession(config, store);
  const { signal } = listenForInterrupt();
  try {
    await session.dailies.cancelBatch(batchId);
    tell(`Cancelling batch "${batchId}": nothing new is paid for; what is under way at the gateway is collected.`);
    await tellOfHeld(session, batchId);
    const isServed = await hasWorker(session);
    if (!isServed) tell(NO_WORKER);
    if (wait) {
      const files = await resultFiles(store, batchId, await createOutFolders(store).folderOf(batchId));
      if (await followBatch(session, batchId, files, signal, {})) {
        await reportEnd(session, batchId, files, json === true ? { json } : {});
        return EXIT.completed;
      }
    }
    const report = await session.dailies.batchStatus(batchId);
    if (json === true) printJson(report);
    else printBatch(report);
    const look = `dailies batch status ${batchId}`;
    if (!wait) {
      tell(whenCancelled(session, { isServed, cancel: `dailies batch cancel ${batchId}`, look }));
      return EXIT.completed;
    }
    tell(`"${batchId}" is still being cancelled; look again with \`${look}\`.`);
    return EXIT.interrupted;
  } finally {
    await session.close();
  }
}
