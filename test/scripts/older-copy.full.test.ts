import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NativeConnection } from '@temporalio/worker';
import { createDailiesClient } from '../../client/dailies/dailies-client';
import { createLatestTakeLine } from '../../client/temporal/latest-take';
import { productionWorkflowId } from '../../contracts/identifiers';
import { createGatewayClient, type GatewayClient } from '../../gateway';
import { openStore, type FolderStore, StoreError } from '../../store';
import { type DailiesWorker, startWorkerOn } from '../../workers/worker';
import { film, pictureShot, planOf, type Rig, RIG_KEY, startRig } from '../support/rig';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { type Ended, dailies } from './command';

const ACCOUNT = 'studio';

const FILM = `
title: One still
models: { pixel-image-1: { output: image } }
defaults: { model: pixel-image-1 }
shots:
  - { id: dawn, prompt: The sun comes up. }
`;

describe('with a Temporal server that runs elsewhere', () => {
  let rig: Rig;
  let root: string;
  let gateway: GatewayClient;
  let connection: NativeConnection;
  const workers: DailiesWorker[] = [];
  beforeAll(async () => {
    rig = await startRig({ renderSeconds: 0 }, { inProcess: false });
    root = await temporaryFolder();
    gateway = createGatewayClient({ baseUrl: rig.sandbox.url, apiKey: RIG_KEY });
    connection = await NativeConnection.connect({ address: rig.server.address });
  });
  afterAll(async () => {
    for (const worker of workers) worker.stop();
    await Promise.allSettled(workers.map(({ ended }) => ended));
    await Promise.all([gateway.close(), connection.close()]);
    await rig.close();
  });
  beforeEach(async () => {
    root = await temporaryFolder();
    writeFileSync(join(root, 'film.yaml'), FILM);
  });

  function run(args: readonly string[], store: string, more: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const env = {
      TEMPORAL_ADDRESS: rig.server.address,
      DAILIES_GATEWAY_URL: rig.sandbox.url,
      DAILIES_GATEWAY_KEY: RIG_KEY,
      DAILIES_GATEWAY_ACCOUNT: ACCOUNT,
      DAILIES_STORE: store,
      ...more,
    };
    return dailies(args, { folder: root, env });
  }

  async function work(store: FolderStore): Promise<DailiesWorker> {
    const worker = await startWorkerOn({
      connection,
      namespace: 'default',
      workflowBundle: { codePath: join(__dirname, '..', '..', 'dist', 'workflow-bundle.js') },
      activities: {
        gateway,
        store,
        account: ACCOUNT,
        fileValuePolicy: { fileValues: 'auto', dataUriMaxBytes: 20_000_000 },
        downloadPolicy: { allowedPrivateHosts: [new URL(rig.sandbox.url).host], maxBytes: 1_000_000_000 },
        pollFloorMs: 250,
      },
      onNotice: () => undefined,
    });
    workers.push(worker);
    return worker;
  }

  /** As a clone of the disk: its files have the same inode numbers, so the mark does not show that it is a copy. */
  function clone(store: FolderStore, name = 'clone'): string {
    const folder = join(root, name);
    cpSync(store.folder, folder, { recursive: true });
    rmSync(join(folder, 'store-place.json'));
    return folder;
  }

  const sent = (): number => rig.sandbox.tasks().length;

  describe('a store', () => {
    it.each([['worker'], ['doctor'], ['list'], ['render', 'film.yaml']])(
      'is not created implicitly: %s',
      async (...args) => {
        const folder = join(root, 'unmounted');
        const { exitCode, stdout, stderr } = await run(args, folder);
        expect(exitCode).toBe(2);
        expect(stdout + stderr).toContain(`there is no store in ${folder}`);
        expect(stdout + stderr).toContain('dailies store --create');
        expect(existsSync(folder)).toBe(false);
      },
    );

    it('is created by its command, once', async () => {
      const folder = join(root, 'store');
      const first = await run(['store', '--create', '--json'], folder);
      expect(first.exitCode).toBe(0);
      const { id } = JSON.parse(first.stdout) as { id: string };
      const again = await run(['store', '--create', '--json'], folder);
      expect(JSON.parse(again.stdout)).toMatchObject({ id });
      expect(await run(['doctor'], folder)).toMatchObject({ exitCode: 0 });
    });

    it('is created with the required id, and one with another id is refused', async () => {
      const id = { DAILIES_STORE_ID: '0123456789ab' };
      const folder = join(root, 'store');
      expect(await run(['doctor'], folder, id)).toMatchObject({ exitCode: 0 });
      expect((await openStore(folder)).id).toBe('0123456789ab');
      const other = await openStore(join(root, 'other'));
      for (const args of [['doctor'], ['worker'], ['render', 'film.yaml'], ['plan', 'film.yaml']]) {
        const { exitCode, stdout, stderr } = await run(args, other.folder, id);
        expect(exitCode).toBe(2);
        expect(stdout + stderr).toContain(`has the id ${other.id}, and DAILIES_STORE_ID is 0123456789ab`);
      }
    });
  });

  describe('an older copy of a store', () => {
    let store: FolderStore;
    let copy: string;
    let worker: DailiesWorker;
    beforeAll(async () => {
      root = await temporaryFolder();
      writeFileSync(join(root, 'film.yaml'), FILM);
      store = await openStore(join(root, 'store'));
      copy = clone(store);
      worker = await work(store);
      expect(await run(['render', 'film.yaml', '--quiet'], store.folder)).toMatchObject({ exitCode: 0 });
    });
    it('sends nothing by any command until it is declared to be the only one left', async () => {
      const before = sent();
      await expect(work(await openStore(copy))).rejects.toThrow(StoreError);
      for (const args of [['plan', 'film.yaml'], ['render', 'film.yaml'], ['doctor']]) {
        const { exitCode, stdout, stderr } = await run(args, copy);
        expect(exitCode).toBe(2);
        expect(stdout + stderr).toContain(`The ledger in ${copy} lacks a take of film/dawn`);
      }
      expect((await run(['store'], copy)).stderr).toContain('dailies store --moved');
      expect(await run(['store', '--moved'], copy)).toMatchObject({ exitCode: 0 });
      const plan = await run(['plan', 'film.yaml'], copy);
      expect(plan).toMatchObject({ exitCode: 0 });
      expect(plan.stderr).toContain('Before a shot is paid for, it waits for your decision');
      expect(sent()).toBe(before);
    });

    it('becomes a separate store once it is adopted', async () => {
      const older = clone(store, 'older');
      rmSync(join(older, 'ledger'), { recursive: true });
      expect(await run(['store', '--adopt-copy'], older)).toMatchObject({ exitCode: 0 });
      expect((await openStore(older)).id).not.toBe(store.id);
      expect(await run(['doctor'], older)).toMatchObject({ exitCode: 0 });
    });

    it('ends its worker as soon as another copy has sent something, and sends nothing itself', async () => {
      const { client } = rig.temporal;
      const line = createLatestTakeLine({ temporal: client, store, account: ACCOUNT });
      worker.stop();
      await worker.ended;
      worker = await work(store);
      const at = new Date().toISOString();
      await line.note({ productionId: 'film', shotId: 'dusk', takeKey: 'of another ledger', at });
      await until(async () => (await line.read())?.shotId === 'dusk');
      const before = sent();
      const other = film('other', [pictureShot('a')]);
      const production = await store.putJson(other);
      const dailiesClient = createDailiesClient({ temporal: client, store, account: ACCOUNT });
      await dailiesClient.render({ productionId: 'other', production, plan: planOf(other) });
      await expect(worker.ended).rejects.toThrow(/lacks a take of film\/dusk/);
      expect(sent()).toBe(before);
      await client.workflow.getHandle(`production/${store.id}/other`).terminate();
    });
  });

  describe('a production of which Temporal knows more than the ledger', () => {
    let store: FolderStore;
    beforeAll(async () => {
      await rig.startWorker();
    });
    beforeEach(() => {
      store = rig.store;
    });
    const sandboxed = { DAILIES_GATEWAY_ACCOUNT: 'sandbox' };

    it('is neither planned nor rendered if the ledger has never seen it, until its tasks are recorded again', async () => {
      const copy = clone(store);
      expect(await run(['render', 'film.yaml', '--quiet'], store.folder, sandboxed)).toMatchObject({ exitCode: 0 });
      const before = sent();
      for (const args of [
        ['plan', 'film.yaml'],
        ['render', 'film.yaml'],
      ]) {
        const { exitCode, stderr } = await run(args, copy, sandboxed);
        expect(exitCode).toBe(2);
        expect(stderr).toContain(`Temporal knows a task of "film" that the ledger in ${copy} does not have`);
        expect(stderr).toContain('dailies ledger film --rebuild');
      }
      expect(await run(['ledger', 'film', '--rebuild'], copy, sandboxed)).toMatchObject({ exitCode: 0 });
      const plan = await run(['plan', 'film.yaml', '--json'], copy, sandboxed);
      expect(JSON.parse(plan.stdout)).toMatchObject({ quote: { tasks: 0 } });
      expect(sent()).toBe(before);
    });

    it('is not planned if the ledger has its start but lacks one of its tasks', async () => {
      writeFileSync(join(root, 'second.yaml'), FILM.replace('comes up', 'goes down'));
      expect(await run(['render', 'second.yaml', '--quiet'], store.folder, sandboxed)).toMatchObject({ exitCode: 0 });
      const copy = clone(store);
      rmSync(join(copy, 'ledger', 'second'), { recursive: true });
      expect(readdirSync(join(copy, 'productions'))).toContain('second');
      const { exitCode, stderr } = await run(['plan', 'second.yaml'], copy, sandboxed);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('Temporal knows a task of "second"');
    });

    it('is not planned if its last run was terminated and the ledger lacks one of its tasks', async () => {
      writeFileSync(join(root, 'cut.yaml'), FILM.replace('comes up.', 'stands still, review: true'));
      // The command ends when all shots wait for a person.
      await run(['render', 'cut.yaml', '--quiet'], store.folder, sandboxed);
      await rig.temporal.client.workflow.getHandle(productionWorkflowId(store.id, 'cut')).terminate();
      expect(await run(['plan', 'cut.yaml'], store.folder, sandboxed)).toMatchObject({ exitCode: 0 });
      rmSync(join(store.folder, 'ledger', 'cut'), { recursive: true });
      const { exitCode, stderr } = await run(['plan', 'cut.yaml'], store.folder, sandboxed);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('Temporal knows a task of "cut"');
    });

    it('is planned while Temporal cannot be reached, and the plan says so', async () => {
      writeFileSync(join(root, 'third.yaml'), FILM);
      const away = { ...sandboxed, TEMPORAL_ADDRESS: '127.0.0.1:1' };
      const { exitCode, stderr } = await run(['plan', 'third.yaml'], store.folder, away);
      expect(exitCode).toBe(0);
      expect(stderr).toContain('Temporal could not be asked');
    });
  });
});
