import { publish, type Published } from '../../client/output/out-folder';
import { createOutPlaces } from '../../client/records/out-places';
import { createProductionRecords } from '../../client/records/production-records';
import { unknownProduction } from '../../client/wording/refused';
import { storedStatus } from '../../client/status/stored-status';
import { createBatches } from '../../store';
import { openOwnStore } from '../../workers/own-store';
import { readConfig } from '../command-config';
import { EXIT, type ExitCode } from '../exit-codes';
import { table } from '../report';
import { openSessionIfUp } from '../session';
import { print, printJson, tell } from '../streams';

export interface ExportOptions {
  readonly out?: string;
  readonly json?: boolean;
}

/**
 * Exports what a production or batch has so far: film, takes, frames, manifest and contact sheet, or the results.
 * Costs nothing, does not change the production, and starts nothing.
 */
export async function exportFiles(id: string, { out, json }: ExportOptions): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  if ((await createBatches(store.records).begun(id)) !== undefined)
    return (await import('./batch-results.js')).batchResults(id, {
      ...(out === undefined ? {} : { out }),
      ...(json === undefined ? {} : { json }),
    });
  const { account, ffmpegPath } = config;
  const session = await openSessionIfUp(config, store);
  try {
    const status = await (session?.client.status(id) ?? storedStatus(store, account, id, config.prices));
    if (status === undefined) await createProductionRecords(store).checkKnown(id);
    if (status === undefined) throw unknownProduction(id, await createProductionRecords(store).ids());
    const places = createOutPlaces(store.records);
    const folder = await places.folderOf(id, out);
    const request = { store, account, status, folder };
    const published = await publish(ffmpegPath === undefined ? request : { ...request, ffmpegPath });
    if (out !== undefined) await places.name(id, folder);
    if (json === true) printJson(published.manifest);
    else printPublished(published);
    for (const path of published.movedAside) tell(`A file of yours stood in the way and was moved to ${path}.`);
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
