import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { audit, type Audit } from '../../client/books';
import { createGatewayClient, type GatewayClient } from '../../gateway';
import { type FolderStore } from '../../store';
import { betaShot, film, linkedShot, type Rig, RIG_KEY, startRig } from '../support/rig';
import { temporaryFolder } from '../support/temporary-folder';
import { address, book } from './store-with-takes';
import { recordsOf, withRecords } from '../support/store-records';

/** The store for the rig's own worker, which must not archive the histories that these tests archive. */
function withoutArchive(store: FolderStore): FolderStore {
  const records = recordsOf(store);
  return withRecords(store, {
    create: async (key, value) => key.includes('/histories/') || records.create(key, value),
  });
}

/** A film that is audited. Each test file that imports this module starts its own rig. */
export let rig: Rig;

let gateway: GatewayClient;

beforeAll(async () => {
  rig = await startRig({}, { through: withoutArchive });
  gateway = createGatewayClient({ baseUrl: rig.sandbox.url, apiKey: RIG_KEY });
  await rig.render(film('film', [betaShot('one'), linkedShot('two', 'one')]));
});

afterAll(async () => {
  await gateway.close();
  await rig.close();
});

export async function audited(withTemporal = true, production = 'film', account = 'sandbox'): Promise<Audit> {
  const found = await audit({
    store: rig.store,
    account,
    production,
    readTask: async (taskId, { id }) => {
      const reading = await gateway.read({ taskId, model: { id } }).catch(() => undefined);
      if (reading === undefined) return undefined;
      return { state: reading.state, credits: reading.state === 'pending' ? null : reading.credits };
    },
    ...(withTemporal ? { temporal: rig.temporal.client } : {}),
  });
  return found!;
}

/** The findings of an audit while the ledger is changed; the change is undone afterwards. */
export async function whilePlanted(plant: (ledger: string) => Promise<void>, withTemporal = true) {
  const ledger = join(rig.store.folder, 'ledger');
  const aside = join(await temporaryFolder(), 'ledger');
  await cp(ledger, aside, { recursive: true });
  await plant(join(ledger, 'film'));
  const { differences } = await audited(withTemporal);
  await rm(ledger, { recursive: true });
  await cp(aside, ledger, { recursive: true });
  return differences.map(({ kind, shot, command }) => ({ kind, shot, command }));
}

export const loseShot = (ledger: string): Promise<void> => rm(join(ledger, 'one'), { recursive: true });

export const changeCharge = async (ledger: string): Promise<void> => {
  const path = join(ledger, 'one/1/settled.json');
  const settled = JSON.parse(await readFile(path, 'utf8')) as { credits: number };
  await writeFile(path, JSON.stringify({ ...settled, credits: settled.credits + 5 }));
};

export const addTake = (): Promise<void> => book(rig.store, address('three'), 'failed');
