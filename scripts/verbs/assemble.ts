import { join, parse } from 'node:path';
import {
  filmSoFar,
  type FilmSoFar,
  type MissingShot,
  readFrozen,
  Refused,
  storedStatus,
  unknownProduction,
} from '../../client';
import { filmName } from '../../client/records/out-names';
import { missingInWords } from '../../client/output/film-so-far';
import { openOutFiles } from '../../client/records/out-files';
import { type AssetRef } from '../../contracts/asset';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type ProductionStatus } from '../../contracts/status';
import { type Store } from '../../store';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { listenForInterrupt } from '../process/interrupt';
import { table } from '../../client/wording/table';
import { hasWorker, LEAVING, NO_WORKER, openSession, tellOfHeld } from '../session/session';
import { print, printJson, tell } from '../process/streams';
import { createOutFolders } from '../../client/records/out-folders';
import { checkWasRendered } from '../../client/records/production-claim';

export interface AssembleOptions {
  readonly out?: string;
  readonly json?: boolean;
}

/** Assembles a film from the clips that a production has so far. Costs nothing and does not change the production. */
export async function assemble(productionId: string, { out, json }: AssembleOptions): Promise<ExitCode> {
  const config = readConfig();
  const { interrupted, signal } = listenForInterrupt();
  const store = await openOwnStore(config);
  await checkWasRendered(store, productionId);
  // Gather from the stored status first: if there is nothing to assemble, no session is opened.
  await gather(store, await storedStatus(store, config.account, productionId, config.prices), productionId);
  const session = await openSession(config, store);
  try {
    await tellOfHeld(session);
    const { production, soFar } = await gather(store, await session.client.status(productionId), productionId);
    if (!(await hasWorker(session))) throw new Refused(`nothing is assembled. ${NO_WORKER}`);
    const film = await (signal.aborted
      ? interrupted
      : Promise.race([session.client.assemble(soFar), interrupted, session.lost]));
    if (film === 'interrupted') {
      if (session.set !== null) tell(LEAVING);
      if (json === true) printJson({ error: 'interrupted before the film was assembled' });
      return EXIT.interrupted;
    }
    const folder = await createOutFolders(store).folderOf(productionId, out);
    const path = await exportFilm(store, folder, nameOf(production.output?.file, soFar.missing), film);
    report(productionId, path, film, soFar.missing, json);
    return EXIT.completed;
  } finally {
    await session.close();
  }
}

/** @throws Refused if the production is unknown, or if there is nothing to assemble. */
async function gather(
  store: Store,
  status: ProductionStatus | undefined,
  productionId: string,
): Promise<{ readonly production: FrozenProduction; readonly soFar: FilmSoFar }> {
  if (status === undefined) throw unknownProduction(productionId, await store.productions.ids());
  const production = await readFrozen(store.assets, status.frozen);
  return { production, soFar: await filmSoFar(store.assets, production, status) };
}

/** Such as `film.mp4`, or `film.partial.mp4` if shots are missing: a partial film never replaces a complete film. */
function nameOf(file: string | undefined, missing: readonly MissingShot[]): string {
  const whole = filmName(file);
  if (missing.length === 0) return whole;
  const { name, ext } = parse(whole);
  return `${name}.partial${ext}`;
}

async function exportFilm(store: Store, folder: string, name: string, film: AssetRef): Promise<string> {
  const files = await openOutFiles(folder, store.assets);
  await files.putAsset(name, film);
  for (const moved of await files.done()) tell(`A file of yours stood in the way and was moved to ${moved}.`);
  return join(folder, name);
}

function report(
  production: string,
  path: string,
  { sha256, sizeBytes, durationSeconds }: AssetRef,
  missing: readonly MissingShot[],
  json = false,
): void {
  if (json) {
    const film = { path, sha256, sizeBytes, durationSeconds: durationSeconds ?? 0 };
    printJson({ production, film, partial: missing.length > 0, missing });
    return;
  }
  const rows: [string, string][] = [
    ['film', path],
    ['length', `${(durationSeconds ?? 0).toFixed(1)} s`],
    ...(missing.length === 0 ? [['missing', 'none'] satisfies [string, string]] : []),
    ...missing.map((one, index): [string, string] => [index === 0 ? 'missing' : '', missingInWords(one)]),
  ];
  print([`${production}: a film of the clips so far`, ...table(rows)]);
}
