import { join, resolve } from 'node:path';
import {
  createProductionRecords,
  creditsOf,
  endOldPause,
  inStore,
  manifestOf,
  publish,
  type RenderRequest,
  storedStatus,
  takesOf,
  withoutPrice,
  waitsForPeople,
} from '../../client';
import { type CheckedProduction, formatIssues, freezeProduction, loadProduction } from '../../client/production-file';
import { type ProductionStatus } from '../../contracts/status';
import { openStore, pruneUnderWay, type Store } from '../../store';
import { type Config, readConfig } from '../../workers/config';
import { plannedRequests } from '../dry-run';
import { EXIT, type ExitCode } from '../exit-codes';
import { type Interrupt, listenForInterrupt } from '../interrupt';
import { checkGateway } from '../preflight';
import { followProduction } from '../progress/follow-production';
import { type Costs, printReport } from '../report';
import { VerbFailed } from '../run-verb';
import { hasWorker, LEAVING, NO_WORKER, openSession, type Session, tellOfHeld, tellOfSandbox } from '../session';
import { print, printJson, tell } from '../streams';

export interface RenderOptions {
  readonly id?: string;
  readonly out?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly maxInFlight?: number;
  readonly up?: boolean;
  readonly quiet?: boolean;
}

/** Folder for what comes out, beside where the command runs. */
const OUT = 'out';

export async function render(file: string, options: RenderOptions): Promise<ExitCode> {
  const config = readConfig();
  const loaded = await loadProduction(file, config);
  if (!loaded.ok) throw new VerbFailed(EXIT.refused, formatIssues(loaded.issues));
  if (options.dryRun === true) return dryRun(loaded.production, options);

  const interrupt = listenForInterrupt();
  tellOfSandbox(config);
  const store = await openStore(config.storeFolder);
  const productionId = options.id ?? loaded.production.id;
  await endOldPause(store, productionId, () => storedStatus(store, config.account, productionId));
  const request = await freeze(file, loaded.production, config, store, options);
  await checkGateway(config);

  const session = await openSession(config, store, options);
  const { signal } = interrupt;
  let last: ProductionStatus | undefined;
  let ended: ExitCode | undefined;
  try {
    last = signal.aborted ? undefined : await renderUntilEnd(session, request, interrupt, options);
    if (last !== undefined && (last.state !== 'running' || waitsForPeople(last))) {
      ended = await report(session, last, options);
    }
  } finally {
    const isLeaving = signal.aborted && ended === undefined;
    if (isLeaving && session.set !== null) tell(LEAVING);
    const { stopped } = await session.close();
    if (isLeaving) tellHowToGoOn(request.productionId, file, stopped);
  }
  if (ended !== undefined) return ended;
  if (options.json === true) {
    printJson(
      last === undefined
        ? { error: 'interrupted before the render began' }
        : await manifestOf(store, config.account, last, inStore(store)),
    );
  }
  return EXIT.interrupted;
}

async function dryRun(production: CheckedProduction, { json }: RenderOptions): Promise<ExitCode> {
  const requests = await plannedRequests(production);
  if (json === true) printJson({ production: production.id, requests });
  else {
    for (const { shot, method, path, body } of requests) {
      print(`# ${shot}\n${method} ${path}\n${JSON.stringify(body, null, 2)}\n`);
    }
  }
  return EXIT.completed;
}

/** Takes the production's id for this file, and puts the production into the store. */
async function freeze(
  file: string,
  production: CheckedProduction,
  { account }: Config,
  store: Store,
  { id, maxInFlight }: RenderOptions,
): Promise<RenderRequest> {
  const productionId = id ?? production.id;
  const claim = { productionId, path: resolve(file), account, takeOver: id !== undefined };
  await createProductionRecords(store).claim(claim);
  const { ref, plan } = await freezeProduction(production, store, { id: productionId });
  return { productionId, production: ref, plan: maxInFlight === undefined ? plan : { ...plan, maxInFlight } };
}

/** Renders and shows the progress; the state is still `running` where the person left before the end. */
async function renderUntilEnd(
  session: Session,
  request: RenderRequest,
  { signal }: Interrupt,
  { json, quiet }: RenderOptions,
): Promise<ProductionStatus | undefined> {
  const { client, set } = session;
  const { productionId } = request;
  if ((await pruneUnderWay(session.store.records)) !== undefined)
    tell('A prune of the store is under way; this begins when it has ended.');
  const { attached } = await client.render(request);
  tell(attached ? attachedInWords(productionId, set) : `Rendering "${productionId}".`);
  await tellOfHeld(session);
  if (!(await hasWorker(session))) tell(NO_WORKER);

  return followProduction(session, productionId, signal, { plain: json === true, quiet: quiet === true });
}

async function report(
  { config, store }: Session,
  status: ProductionStatus,
  { out, json }: RenderOptions,
): Promise<ExitCode> {
  const folder = resolve(out ?? join(OUT, status.production));
  const { account, ffmpegPath } = config;
  const request = { store, account, status, folder };
  const published = await publish(ffmpegPath === undefined ? request : { ...request, ffmpegPath });
  if (json === true) printJson(published.manifest);
  else printReport(published, status, await costsOf(store, config.account, status));
  return status.state === 'completed' ? EXIT.completed : EXIT.incomplete;
}

async function costsOf(store: Store, account: string, { production, renderId }: ProductionStatus): Promise<Costs> {
  const takes = [...(await takesOf(store, account, production)).values()].flat();
  const own = takes.filter(({ intent }) => intent.renderId === renderId);
  return { spent: creditsOf(own).charged, withoutPrice: withoutPrice(takes) };
}

function attachedInWords(productionId: string, set: Session['set']): string {
  return set?.started === true
    ? `Going on with "${productionId}", where it stopped.`
    : `Attached to "${productionId}", which is being rendered.`;
}

function tellHowToGoOn(productionId: string, file: string, stopped: boolean): void {
  tell(
    stopped
      ? `Stopped. What was paid for is kept: \`dailies render ${file}\` goes on where this stopped.`
      : `Detached; "${productionId}" goes on. Look again with \`dailies status ${productionId}\` or \`dailies render ${file}\`.`,
  );
}
