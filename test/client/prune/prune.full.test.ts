import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freezeBatch, freezing } from '../../../client/batch';
import { checkBatch } from '../../../client/batch-file/check-batch';
import { intoStore } from '../../../client/batch/freeze-batch';
import { audit } from '../../../client/books';
import { forkProduction } from '../../../client/fork';
import { planRender } from '../../../client/plan';
import { findUnused, pruneStore } from '../../../client/prune';
import { type FrozenProduction } from '../../../contracts/render/frozen';
import { type FolderStore } from '../../../store';
import { betaShot, film, linkedShot, pictureShot, planOf, type Rig, startRig } from '../../support/rig';
import { template } from '../../support/scheduled';
import { temporaryFolder } from '../../support/temporary-folder';
import { until } from '../../support/until';
import { recordsOf } from '../../support/store-records';

const ACCOUNT = 'sandbox';

/** A chain of two; another prompt for its first shot makes new takes of both. */
const cut = (id: string, prompt: string): FrozenProduction =>
  film(id, [betaShot('a', { parameters: { ...betaShot('a').parameters, prompt } }), linkedShot('a2', 'a')]);

describe('a prune', () => {
  let rig: Rig;
  let store: FolderStore;
  beforeAll(async () => {
    rig = await startRig();
    store = rig.store;
  });
  afterAll(() => rig.close());
  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  const unused = () => findUnused(store, ACCOUNT);
  const names = async () =>
    (await unused()).productions.flatMap(({ production, takes }) =>
      takes.map(({ shot, take }) => `${production} ${shot} ${take}`),
    );
  const plan = (production: FrozenProduction) =>
    planRender({
      store,
      account: ACCOUNT,
      quotes: store.account(ACCOUNT).quotes({}),
      production,
      shots: planOf(production).shots,
    });

  it('spares the files of a schedule, which its next run needs', async () => {
    const first = await rig.render(film('named', [pictureShot('a')]), { assemble: false });
    await rig.render(film('named', [pictureShot('a', { parameters: { prompt: 'another idea' } })]), {
      assemble: false,
    });
    expect(await names()).toEqual(['named a 1']);
    const picture = first.shots[0]?.takes[0]?.asset;
    if (picture == null) throw new Error('there is no picture');
    const shot = `{ id: a, model: beta-video, duration: 4, prompt: x, startFrame: "${store.assets.shownPath(picture)}" }`;
    await rig.client.schedules.create('night', { every: '30d', template: await template(`{ shots: [${shot}] }`) });
    expect(await names()).toEqual([]);
    await rig.client.schedules.delete('night');
    expect(await names()).toEqual(['named a 1']);
    await pruneStore(store, ACCOUNT, await unused());
  });

  it('spares the files of batch rows that have not started yet', async () => {
    const given = (prompt: string) =>
      rig.render(film('given', [pictureShot('a', { parameters: { prompt } })]), { assemble: false });
    const first = await given('for rows');
    await given('for nobody');
    const picture = first.shots[0]?.takes[0]?.asset;
    if (picture == null) throw new Error('there is no picture');
    const startFrame = store.assets.shownPath(picture);
    const row = { key: 'r', model: 'beta-video', duration: 4, prompt: 'x', startFrame };
    const clip = { id: 'p', shots: [{ id: 'a', model: 'beta-video', duration: 4, prompt: 'x', startFrame }] };
    for (const [id, rows] of [
      ['tasks', [row]],
      ['films', [clip]],
    ] as const) {
      expect(await names()).toEqual(['given a 1']);
      await beginOnly(id, { [id === 'tasks' ? 'generations' : 'productions']: rows });
      expect(await names()).toEqual([]);
      await store.batches.withdraw(id, 1);
    }
    await pruneStore(store, ACCOUNT, await unused());
  });

  /** A batch that crashed between its record and the start of its workflow. */
  async function beginOnly(id: string, content: object): Promise<void> {
    const file = join(await temporaryFolder(), `${id}.yaml`);
    await writeFile(file, JSON.stringify(content));
    const loaded = await checkBatch(file, { id, policy: { fileValues: 'auto', dataUriMaxBytes: 1_000_000 } });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
    const index = await freezeBatch(loaded.batch, {
      target: intoStore(store),
      ...(await freezing(store, ACCOUNT, id)),
    });
    await loaded.batch.close();
    const rules = { parallel: 1, stopAfterFailures: null };
    const begun = { run: 1, renderId: 'r', account: ACCOUNT, index: await store.putJson(index), at: 'now', ...rules };
    await store.batches.begin(id, begun);
  }

  it('frees the takes beside the chosen one, and no render collects them again', async () => {
    const cutOfTwo = cut('beside', 'an idea');
    const twice = (directed: boolean) => ({
      shots: planOf(cutOfTwo).shots.map((shot) => ({ ...shot, takes: 2, directed })),
    });
    const first = await rig.render(cutOfTwo, twice(false));
    const beside = first.shots.flatMap(({ id, filmTake, takes }) =>
      takes.flatMap(({ take, asset }) => (take === filmTake ? [] : [{ name: `beside ${id} ${take}`, asset: asset! }])),
    );
    expect((await names()).filter((name) => name.startsWith('beside'))).toEqual(beside.map(({ name }) => name));
    const found = await unused();
    await pruneStore(store, ACCOUNT, {
      ...found,
      productions: found.productions.filter(({ production }) => production === 'beside'),
      films: [],
    });
    const again = await rig.render(cutOfTwo, twice(true));
    expect(again).toMatchObject({ state: 'completed', film: first.film });
    for (const { asset } of beside) expect(await store.assets.has(asset)).toBe(false);
  });

  it('records every take whose bytes it frees, and aliases by their take, whichever production comes first', async () => {
    const forks = { 'm-source': 'n-fork', 'q-source': 'p-fork' };
    const rules = (production: FrozenProduction, directed: boolean) => ({
      shots: planOf(production).shots.map((shot) => ({ ...shot, takes: 2, directed })),
    });
    const clips = (id: string) => film(id, [betaShot('a')]);
    for (const [productionId, newId] of Object.entries(forks)) {
      await rig.render(clips(productionId), rules(clips(productionId), false));
      await forkProduction({ store, account: ACCOUNT, productionId, newId, from: undefined });
      await rig.render(clips(newId), rules(clips(newId), true));
    }
    const found = await unused();
    const ids = Object.entries(forks).flat();
    const productions = found.productions.filter(({ production }) => ids.includes(production));
    expect(productions.map(({ production }) => production)).toEqual(ids.toSorted());
    const freed = await pruneStore(store, ACCOUNT, { ...found, productions, films: [] });
    // Bytes that two takes share are freed once.
    expect(freed).toMatchObject({ takes: 4, sizeBytes: productions.reduce((sum, one) => sum + one.sizeBytes, 0) });
    for (const production of ids) {
      const takes = await store.ledger.takes(production, 'a');
      expect(takes.filter(({ pruned }) => pruned !== undefined)).toHaveLength(1);
      const books = await audit({ store, account: ACCOUNT, production, temporal: rig.temporal.client });
      expect(books?.differences).toEqual([]);
    }
  });

  it("of clips that a fork no longer uses makes the fork's plan say whose clip was pruned", async () => {
    const picture = (id: string, prompt: string) => film(id, [pictureShot('a', { parameters: { prompt } })]);
    await rig.render(picture('source', 'an idea'));
    await forkProduction({ store, account: ACCOUNT, productionId: 'source', newId: 'copy', from: undefined });
    for (const id of ['source', 'copy']) await rig.render(picture(id, 'another idea'));
    const found = await unused();
    const productions = found.productions.filter(({ production }) => ['source', 'copy'].includes(production));
    await pruneStore(store, ACCOUNT, { ...found, productions, films: [] });
    expect((await plan(picture('copy', 'an idea'))).shots).toMatchObject([
      { action: 'waits', reason: expect.stringContaining('take 1 of "a" in "source", which it reuses, was pruned') },
    ]);
    expect((await plan(picture('source', 'an idea'))).shots).toMatchObject([
      { action: 'collected', reason: expect.stringContaining('collected anew at no cost') },
    ]);
  });

  it('does not explain the loss of a clip that was collected again since, and frees that clip again', async () => {
    const picture = (prompt: string) => film('anew', [pictureShot('a', { parameters: { prompt } })]);
    const books = () => audit({ store, account: ACCOUNT, production: 'anew', temporal: rig.temporal.client });
    const prune = async () => {
      const found = await unused();
      const productions = found.productions.filter(({ production }) => production === 'anew');
      return pruneStore(store, ACCOUNT, { ...found, productions, films: [] });
    };
    await rig.render(picture('one idea'));
    await rig.render(picture('another idea'));
    expect(await prune()).toMatchObject({ takes: 1 });
    expect((await books())?.differences).toEqual([]);
    await rig.render(picture('one idea'));
    const [first] = await store.ledger.takes('anew', 'a');
    expect(first).not.toHaveProperty('pruned');
    const { asset } = first!.output!;
    expect(await store.assets.remove(asset, new Date())).toBe(true);
    expect((await books())?.differences).toMatchObject([{ kind: 'asset-missing', take: 1 }]);

    await rig.render(picture('one idea'));
    await rig.render(picture('another idea'));
    expect(await prune()).toMatchObject({ takes: 1 });
    expect((await books())?.differences).toEqual([]);
  });

  it('spares what a fork reuses, by any name, and all takes of a parked production', async () => {
    await rig.render(cut('forked', 'an idea'));
    await forkProduction({ store, account: ACCOUNT, productionId: 'forked', newId: 'its-fork', from: undefined });
    await rig.render(cut('forked', 'another idea'));
    expect((await names()).filter((name) => name.startsWith('forked'))).toEqual([]);

    await rig.render(cut('parked', 'an idea'));
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    await rig.start(cut('parked', 'an idea that is refused'));
    await until(async () => (await rig.client.status('parked'))?.shots.some(({ state }) => state === 'parked'));
    const found = await unused();
    expect(found.productions).toEqual([]);
    await pruneStore(store, ACCOUNT, found);
    const [kept] = await store.ledger.takes('parked', 'a');
    expect(await store.assets.has(kept!.output!.asset)).toBe(true);

    await rig.client.cancel('parked');
    await rig.client.ended('parked');
  });

  it('makes a starting render wait, since the prune would not see it otherwise', async () => {
    const prune = await store.prunes.begin();
    await expect(pruneStore(store, ACCOUNT, await unused())).rejects.toThrow('another prune');
    const rendering = rig.start(cut('late', 'an idea'));
    // The render is recorded as started, so a prune that starts now spares it; its workflow does not exist yet.
    await until(() => recordsOf(store).read('productions/late/render'));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const workflow = rig.temporal.client.workflow.getHandle(`production/${store.id}/late`);
    await expect(workflow.describe()).rejects.toThrow();
    await prune!.end();
    await rendering;
    expect(await rig.client.ended('late')).toMatchObject({ state: 'completed' });
  });

  it('frees nothing that a render has needed since the list was shown', async () => {
    await rig.render(cut('wanted', 'an idea'));
    await rig.render(cut('wanted', 'another idea'));
    const shown = await unused();
    expect(await names()).toContain('wanted a 1');
    const before = rig.sandbox.tasks().length;
    await rig.render(cut('wanted', 'an idea'));
    await pruneStore(store, ACCOUNT, shown);
    const [first, second] = await store.ledger.takes('wanted', 'a');
    expect(first).not.toHaveProperty('pruned');
    expect(await store.assets.has(first!.output!.asset)).toBe(true);
    // It was not listed as unused.
    expect(await store.assets.has(second!.output!.asset)).toBe(true);
    expect(rig.sandbox.tasks()).toHaveLength(before);
  });

  it('frees nothing while a restore of the ledger is unfinished', async () => {
    const shown = await unused();
    const gap = { name: 'now', backupAt: '2026-01-01T00:00:00.000Z', restoredAt: '2026-01-01T00:00:00.000Z' };
    await recordsOf(store).create('restored/now/begun', gap);
    await expect(pruneStore(store, ACCOUNT, shown)).rejects.toThrow('--restore');
    await recordsOf(store).create('restored/now/done', {});
    await recordsOf(store).create('restored/now/cleared', {});
  });
});
