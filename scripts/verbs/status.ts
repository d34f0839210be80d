import { counted } from '../../contracts/counted';
import { againCommand } from '../../client/status/again-command';
import { takesOf, withoutPrice } from '../../client/records/takes';
import { Refused, unknownProductionOrBatch } from '../../client/wording/refused';
import { statusInFull } from '../../client/plan/status-in-full';
import { withNewDriftWarnings } from '../../client/status/new-drift-warnings';
import { type LastReads, type Manifest } from '../../contracts/manifest';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { type GateClosing, type Store } from '../../store';
import { exportCommand } from '../../client/wording/commands';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { quoteInWords, toRender } from '../../client/plan/plan-in-words';
import { expectedInWords } from '../../client/plan/expected-in-words';
import { filmInWords, underWayInWords, shotInWords } from '../../client/status/progress-in-words';
import {
  budgetStateInWords,
  driftInWords,
  tellOfDrift,
  tellOfNotices,
  tellOfReadyBy,
  tellWhatWaits,
  withoutPriceInWords,
} from '../wording/report';
import { table } from '../../client/wording/table';
import { openStatusIfUp } from '../session/status-if-up';
import { print, printJson, tell } from '../process/streams';
import { tellOfStore } from '../session/which-ledger';
import { checkWasRendered } from '../../client/records/production-claim';

/** Shows the state of a production or batch. Starts no process. */
export async function status(productionId: string, { json = false }: { readonly json?: boolean }): Promise<ExitCode> {
  const config = readConfig();
  await tellOfStore(config);
  const store = await openOwnStore(config);
  if ((await store.batches.begun(productionId)) !== undefined)
    return (await import('./batch-status.js')).batchStatus(productionId, { json });
  const statuses = await openStatusIfUp(config, store);
  try {
    const found = await statuses.status(productionId);
    if (found === undefined) throw await unknownHere(store, productionId);
    const quotes = store.account(config.account).quotes(config.prices);
    const inFull = await statusInFull({ store, account: config.account, quotes }, found);
    const manifest = withLastReads(inFull.manifest, statuses.lastReads(productionId));
    const { rest } = inFull;
    if (json) printJson(manifest);
    else {
      const takes = [...(await takesOf(store, config.account, productionId)).values()].flat();
      printStatus(
        found,
        manifest,
        `${counted(manifest.credits.charged, 'credit')} charged${withoutPriceInWords(withoutPrice(takes))}`,
      );
      if (manifest.budget !== null) print(budgetStateInWords(manifest.budget));
      if (rest !== undefined && rest.quote.tasks > 0) {
        print(`Quoted for the rest: ${toRender(rest)}, ${quoteInWords(rest.quote)}.`);
      }
      if (manifest.expected !== null) print(`By usual times: ${expectedInWords(manifest.expected, Date.now())}.`);
      tellOfFiles(manifest);
      tellOfDrift(await withNewDriftWarnings(store, found, manifest));
      tellOfReadyBy(manifest);
      tellOfNotices(manifest.production, manifest.notices);
      const again = await againCommand(store, { what: 'production', id: productionId });
      tellWhatWaits(found, manifest, again);
      // A shot may be ready to start, for example after an approval.
      if (!statuses.isUp && found.state === 'running' && found.paused === undefined) {
        tell(`Nothing runs now. To continue what does not wait for you: ${again}`);
      }
      await tellOfClosedGate(store, config.account);
    }
    return EXIT.completed;
  } finally {
    await statuses.close();
  }
}

/** Prints the paths of the exported film and contact sheet. If one is missing after the render, tells how to export. */
function tellOfFiles({ production, state, film, out }: Manifest): void {
  const rows: readonly (readonly [string, string | null])[] = [
    ['film', out?.film ?? null],
    ['contact sheet', out?.sheet ?? null],
  ];
  const there = rows.flatMap(([name, path]) => (path === null ? [] : [[name, path] as const]));
  if (there.length > 0) print(table(there));
  if (state === 'running' || (out?.sheet != null && (film === null || out.film !== null))) return;
  tell(`To have ${film === null ? 'what there is' : 'its film'} as files: ${exportCommand(production)}`);
}

async function tellOfClosedGate(store: Store, account: string): Promise<void> {
  const gate = await store.account(account).gate.read();
  if (gate !== undefined) tellOf(gate, 'Submits of this account');
  for (const own of await store.account(account).closedModelGates()) {
    tellOf(own, own.only === undefined ? 'Submits of one model' : `Submits of ${own.only.model.id}`);
  }
}

function tellOf({ since, reason, tryAt, lastProbe, tryAnywayAt }: GateClosing, whose: string): void {
  const next = [tryAt, lastProbe?.until ?? ''].toSorted().at(-1);
  tell(
    `${whose} wait since ${since}: ${reason}. One of them is sent from ${next} on, as soon as the gateway ` +
      `answers a read properly; at the latest at ${tryAnywayAt}. The others follow once the gateway has answered it.`,
  );
}

function withLastReads(manifest: Manifest, reads: LastReads): Manifest {
  return { ...manifest, shots: manifest.shots.map((shot) => ({ ...shot, ...reads.get(shot.id) })) };
}

function printStatus(status: ProductionStatus, manifest: Manifest, cost: string): void {
  const { title, state, reason, shots } = status;
  const film = filmInWords(status);
  const entries = new Map(manifest.shots.map((entry) => [entry.id, entry]));
  const inWords = (shot: ShotStatus): string => {
    const entry = entries.get(shot.id);
    const more = entry === undefined || state !== 'running' ? '' : underWayInWords(entry);
    const read = entry?.lastReadAt === undefined ? '' : `; still pending at ${entry.lastReadAt}`;
    return `${shotInWords(shot)}${read}${more}${driftInWords(entry?.drift)}`;
  };
  print([
    `${title}: ${state}${reason === null ? '' : ` (${reason})`}, ${cost}`,
    ...table([
      ...shots.map((shot) => [shot.id, inWords(shot)] as const),
      ...(film === '' ? [] : [['the film', film] as const]),
    ]),
  ]);
}

/**
 * The refusal of an unknown id. Its message suggests productions and batches with similar ids, or names the schedule of
 * a run that has not begun.
 *
 * @throws Refused for a fork that was not rendered.
 */
async function unknownHere(store: Store, id: string): Promise<Refused> {
  const { productions } = store;
  if ((await productions.fork(id)) !== undefined) await checkWasRendered(store, id);
  const schedule = await store.runs.scheduleOf(id);
  if (schedule !== undefined) {
    return new Refused(
      `"${id}" is a run of the schedule "${schedule}" that has not begun; look again in a moment, ` +
        `or see \`dailies schedule show ${schedule}\``,
    );
  }
  return unknownProductionOrBatch(store, id);
}
