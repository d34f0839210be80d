import { publish, type Published } from '../../client/output/out-folder';
import { unknownProductionOrBatch } from '../../client/wording/refused';
import { storedStatus } from '../../client/status/stored-status';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { table } from '../../client/wording/table';
import { openSessionIfUp } from '../session/session';
import { print, printJson } from '../process/streams';
import { tellOfMoved } from '../wording/report';
import { createOutFolders } from '../../client/records/out-folders';
import { checkWasRendered } from '../../client/records/production-claim';

export interface ExportOptions {
  readonly out?: string;
  readonly json?: boolean;
}

/**
 * Exports what a production has so far: film, takes, frames, manifest and contact sheet. For a batch, exports the
 * results. Costs nothing, changes no production, and starts nothing.
 */
export async function exportFiles(id: string, { out, json }: ExportOptions): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  if ((await store.batches.begun(id)) !== undefined)
    return (await import('./batch-results.js')).batchResults(id, {
      ...(out === undefined ? {} : { out }),
      ...(json === undefined ? {} : { json }),
    });
  const { account, ffmpegPath } = config;
  const session = await openSessionIfUp(config, store);
  try {
    const status = await (session?.client.status(id) ?? storedStatus(store, account, id, config.prices));
    if (status === undefined) {
      if ((await store.productions.fork(id)) !== undefined) await checkWasRendered(store, id);
      throw await unknownProductionOrBatch(store, id);
    }
    const places = createOutFolders(store);
    const folder = await places.folderOf(id, out);
    const published = await publish({ store, account, status, folder, ffmpegPath });
    if (out !== undefined) await store.outPlaces.noteFolder(id, folder);
    if (json === true) printJson(published.manifest);
    else printPublished(published);
    tellOfMoved(published.movedAside);
    return EXIT.completed;
  } finally {
    await session?.close();
  }
}

function printPublished({ manifest: { title, state, shots, out }, sheetPath }: Published): void {
  const takes = shots.flatMap((shot) => shot.takes.filter(({ asset }) => asset !== null));
  print([
    `${title}: ${state}`,
    ...table([
      ['film', out?.film ?? 'none yet'],
      ['contact sheet', sheetPath],
      ['takes', String(takes.length)],
    ]),
  ]);
}
