import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inStore, manifestOf } from '../../../client';
import { audit, ledgerBooks } from '../../../client/books';
import { forkProduction } from '../../../client/fork';
import { planRender } from '../../../client/plan';
import { type FrozenProduction } from '../../../contracts/render/frozen';
import { type FolderStore } from '../../../store';
import { betaShot, film, linkedShot, planOf, type Rig, startRig } from '../../support/rig';
import { recordsOf } from '../../support/store-records';
import { DEATH, dyingStore } from './dying-store';

const ACCOUNT = 'sandbox';

/** Two chains; the second begins with the third shot. */
const shots = () => [betaShot('a'), linkedShot('a2', 'a'), betaShot('b'), linkedShot('b2', 'b')];

describe('a fork', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig();
    expect(await rig.render(film('first', shots()))).toMatchObject({ state: 'completed' });
  });
  afterAll(() => rig.close());

  const fork = (newId: string, from?: string, store: FolderStore = rig.store) =>
    forkProduction({ store, account: ACCOUNT, productionId: 'first', newId, from });
  const plan = (production: FrozenProduction, shots = planOf(production).shots) =>
    planRender({
      store: rig.store,
      account: ACCOUNT,
      quotes: rig.store.account(ACCOUNT).quotes({}),
      production,
      shots,
    });

  it('reuses the shots before --from, pays only for the rest, and starts chains on frames of reused shots', async () => {
    expect(await fork('second', 'b')).toEqual({
      production: 'second',
      of: 'first',
      from: 'b',
      reused: [
        { shot: 'a', take: 1, of: 1 },
        { shot: 'a2', take: 1, of: 1 },
      ],
      left: [],
      new: ['b', 'b2'],
    });
    // In the new production the third shot starts on a frame of a reused one.
    const cut = film('second', [betaShot('a'), linkedShot('a2', 'a'), linkedShot('b', 'a2'), linkedShot('b2', 'b')]);
    expect((await plan(cut)).shots.map(({ shot, action }) => [shot, action])).toEqual([
      ['a', 'reused'],
      ['a2', 'reused'],
      ['b', 'new'],
      ['b2', 'new'],
    ]);

    const before = rig.sandbox.tasks().length;
    const status = await rig.render(cut);
    expect(status.state).toBe('completed');
    expect(rig.sandbox.tasks()).toHaveLength(before + 2);
    const first = await rig.client.status('first');
    const clips = (of: typeof status) => of.shots.map(({ takes }) => takes.at(-1)?.asset?.sha256);
    expect(clips(status).slice(0, 2)).toEqual(clips(first!).slice(0, 2));
    const [b] = await rig.store.ledger.takes('second', 'b');
    expect(b?.intent.parameters['startFrame']).toBe(`sha256:${first?.shots[1]?.takes[0]?.lastFrame?.asset.sha256}`);

    const manifest = await manifestOf(rig.store, ACCOUNT, status, inStore(rig.store));
    expect(manifest.credits.charged).toBe(40);
    expect(manifest.shots[0]?.takes).toMatchObject([
      { taskId: null, credits: 0, aliasOf: { production: 'first', shot: 'a', take: 1 } },
    ]);
  });

  it('is not counted as a second acceptance anywhere, and leaves each task with its owner', async () => {
    const { productions } = await ledgerBooks(rig.store, ACCOUNT);
    expect(productions).toMatchObject([
      { production: 'first', takes: 4, aliases: 0, accepted: 4, settled: 4, credits: 80 },
      { production: 'second', takes: 2, aliases: 2, accepted: 2, settled: 2, credits: 40 },
    ]);
    for (const production of ['first', 'second']) {
      const found = await audit({ store: rig.store, account: ACCOUNT, production, temporal: rig.temporal.client });
      expect(found?.differences).toEqual([]);
    }
    const [paid] = await rig.store.ledger.takes('first', 'a');
    const taskId = paid!.settled!.taskId;
    const stranger = { productionId: 'second', shotId: 'a', take: 1 };
    const owner = await rig.store.ledger.claimTask(stranger, { account: ACCOUNT, taskId, model: {} });
    expect(owner).toEqual({ productionId: 'first', shotId: 'a', take: 1 });
  });

  it('of a fork names the take that was paid for, and costs nothing if nothing changes', async () => {
    await forkProduction({
      store: rig.store,
      account: ACCOUNT,
      productionId: 'second',
      newId: 'third',
      from: undefined,
    });
    const [alias] = await rig.store.ledger.takes('third', 'a');
    expect(alias?.intent.alias).toMatchObject({ productionId: 'first', shotId: 'a', take: 1 });
    const before = rig.sandbox.tasks().length;
    const cut = film('third', [betaShot('a'), linkedShot('a2', 'a'), linkedShot('b', 'a2'), linkedShot('b2', 'b')]);
    expect(await rig.render(cut)).toMatchObject({ state: 'completed' });
    expect(rig.sandbox.tasks()).toHaveLength(before);
  });

  it('copies the version that was rendered last, even if its revision was not recorded before a crash', async () => {
    const begun = await rig.store.productions.begun('first');
    const older = await rig.store.putJson(film('first', [betaShot('a')]));
    await rig.store.productions.begin('first', { ...begun!, production: older, written: older });
    const { reused } = await fork('after-crash');
    await rig.store.productions.begin('first', begun!);
    expect(reused.map(({ shot }) => shot)).toEqual(['a', 'a2', 'b', 'b2']);
  });

  it('names the account that has begun it, if that is another one', async () => {
    const unfinished = { of: 'first', from: null, account: 'acme', at: new Date().toISOString() };
    await rig.store.productions.beginFork('halves', unfinished);
    await expect(fork('halves')).rejects.toThrow(/unfinished fork of "first" for the account acme, and .* sandbox/);
  });

  it.each<[string, string, string | undefined, RegExp]>([
    ['first', 'first', undefined, /cannot be/],
    ['first', 'generations', undefined, /cannot be/],
    ['first', 'rows', undefined, /cannot be .*: it is a batch/],
    ['first', 'night-1', undefined, /cannot be .*: it is a run of a schedule/],
    ['first', 'second', undefined, /already/],
    ['first', 'new', 'nowhere', /no shot "nowhere"; it has a, a2, b, b2/],
    ['first', 'new', 'a', /"a" is its first shot/],
    ['nowhere', 'new', undefined, /no production "nowhere"/],
  ])('of %s as %s from %s is refused, and leaves no records', async (productionId, newId, from, words) => {
    const { batches, runs } = rig.store;
    const [index, at] = [await rig.store.putJson([]), new Date().toISOString()];
    const rules = { parallel: 1, stopAfterFailures: null };
    await batches.begin('rows', { run: 1, renderId: 'r', account: ACCOUNT, index, at, ...rules });
    await runs.claim('night', 'night-1');
    await expect(forkProduction({ store: rig.store, account: ACCOUNT, productionId, newId, from })).rejects.toThrow(
      words,
    );
    expect(await recordsOf(rig.store).list('ledger/new')).toEqual([]);
    expect(await recordsOf(rig.store).list('productions/new')).toEqual([]);
  });

  it('is refused if the production has changed since an interrupted attempt, which recorded another take', async () => {
    const [paid] = await rig.store.ledger.takes('first', 'a');
    const { intent } = paid!;
    const other = { ...intent, askKey: '1'.repeat(64), takeKey: '2'.repeat(64) };
    await rig.store.productions.beginFork('half', { of: 'first', from: 'b', account: ACCOUNT, at: intent.at });
    await rig.store.ledger.intend({ productionId: 'half', shotId: 'a', take: 1 }, other);
    await expect(fork('half', 'b')).rejects.toThrow(/"first" has changed .* take 1 of "a" for another request/);
    expect(await rig.store.productions.fork('half')).toMatchObject({ done: false });
  });

  it('is refused if another take was chosen since an interrupted attempt, which recorded the earlier choice', async () => {
    await fork('chosen-before', 'b');
    const [alias] = await rig.store.ledger.takes('chosen-before', 'a');
    const { intent } = alias!;
    const other = { ...intent.alias!, take: 7, takeKey: '3'.repeat(64) };
    await rm(join(rig.store.folder, 'ledger/chosen-before'), { recursive: true });
    await rm(join(rig.store.folder, 'productions/chosen-before'), { recursive: true });
    const unfinished = { of: 'first', from: 'b', account: ACCOUNT, at: intent.at };
    await rig.store.productions.beginFork('chosen-before', unfinished);
    await rig.store.ledger.intend({ productionId: 'chosen-before', shotId: 'a', take: 1 }, { ...intent, alias: other });
    await expect(fork('chosen-before', 'b')).rejects.toThrow(/has recorded take 1 of "a" for another choice/);
  });

  it('is refused if a shot was directed since an interrupted attempt, and is made again once that is removed', async () => {
    const { directing } = rig.store;
    const direction = { of: 'f'.repeat(64), shot: betaShot('a') };
    await directing.direct('half-directed', 'a', direction);
    // As if the source had lost the direction that an earlier attempt copied.
    await expect(fork('half-directed', 'b2')).rejects.toThrow(/has recorded another request for "a"; .*paid/);

    await directing.direct('first', 'a', { ...direction, of: 'e'.repeat(64) });
    const refusal = await fork('half-directed', 'b2').then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(refusal).toContain('has recorded another request for "a"');
    await removeAsSaid(refusal);
    const request = { account: ACCOUNT, productionId: 'first', newId: 'half-directed', from: 'b2' };
    await expect(forkProduction({ ...request, store: dyingStore(rig.store, 'b') })).rejects.toThrow(DEATH);
    // The same direction, recorded at another time.
    await directing.direct('first', 'a', { ...direction, of: 'e'.repeat(64) });
    expect((await fork('half-directed', 'b2')).reused).toHaveLength(3);
    expect(await directing.directions('half-directed', 'a')).toMatchObject([{ of: 'e'.repeat(64) }]);
  });

  /** Removes the folders that a refusal names. */
  async function removeAsSaid(refusal: string): Promise<readonly string[]> {
    const [, said = ''] = /remove the folders (.+) from the store's folder/.exec(refusal) ?? [];
    const folders = said.split(/, | and /);
    for (const folder of folders) await rm(join(rig.store.folder, folder), { recursive: true, force: true });
    return folders;
  }

  it('that stays unfinished is ended as its refusal says, and made again', async () => {
    const unfinished = { of: 'first', from: 'a', account: ACCOUNT, at: new Date().toISOString() };
    await rig.store.productions.beginFork('empty', unfinished);
    const refusal = await fork('empty', 'a').then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(await removeAsSaid(refusal)).toEqual(['productions/empty', 'ledger/empty', 'directing/empty']);
    expect(await fork('empty', 'a2')).toMatchObject({ reused: [{ shot: 'a', take: 1, of: 1 }] });
  });
});
