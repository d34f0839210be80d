import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RESULTS_NAME } from '../../client/records/out-names';
import { openOwnStore } from '../../workers/store/own-store';
import { resultFiles } from '../renders/batch-to-end';
import { tellOfPayer } from '../wording/batch-report';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { openSessionIfUp } from '../session/session';
import { print, printJson, tell } from '../process/streams';
import { createOutFolders } from '../../client/records/out-folders';

/** Exports the results of a batch so far, each row once. Starts nothing. */
export async function batchResults(
  batchId: string,
  { out, json }: { readonly out?: string; readonly json?: boolean },
): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  const session = await openSessionIfUp(config, store);
  try {
    const places = createOutFolders(store);
    const folder = await places.folderOf(batchId, out);
    const files = await resultFiles(store, batchId, folder);
    if (out !== undefined) await store.outPlaces.noteFolder(batchId, folder);
    const begun = await store.batches.begun(batchId);
    const moved = await files.complete(await session?.client.batches.live(batchId));
    const list = join(folder, RESULTS_NAME);
    if (json === true) {
      const lines = (await readFile(list, 'utf8')).split('\n').filter((line) => line !== '');
      printJson({ batch: batchId, results: lines.map((line) => JSON.parse(line) as unknown) });
    } else print(list);
    if (begun !== undefined) tellOfPayer({ batch: batchId, account: begun.account }, config.account);
    for (const path of moved) tell(`A file of yours stood in the way and was moved to ${path}.`);
    return EXIT.completed;
  } finally {
    await session?.close();
  }
}
