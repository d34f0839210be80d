import { audit } from '../../../client/books';
import { planRender } from '../../../client/plan';
import { findUnused, pruneStore } from '../../../client/prune';
import { type AssetRef } from '../../../contracts/asset';
import { type FrozenProduction } from '../../../contracts/render/frozen';
import { type Store } from '../../../store';
import { betaShot, film, linkedShot, planOf, type Rig, startRig } from '../../support/rig';

const ACCOUNT = 'sandbox';

/** A chain of two; another prompt for its first shot makes new takes of both. */
const cut = (id: string, prompt: string): FrozenProduction =>
  film(id, [betaShot('a', { parameters: { ...betaShot('a').parameters, prompt } }), linkedShot('a2', 'a')]);

describe('a prune', () => {
  let rig: Rig;
  let store: Store;
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

  it('frees only unused takes and films, and records them in the ledger', async () => {
    const first = await rig.render(cut('film', 'the first idea'));
    expect(await unused()).toEqual({ productions: [], films: [], sizeBytes: 0 });
    const second = await rig.render(cut('film', 'the second idea'));

    const found = await unused();
    expect(await names()).toEqual(['film a 1', 'film a2 1']);
    expect(found.films).toEqual([first.film]);
    const freed = await pruneStore(store, ACCOUNT, found);
    expect(freed).toEqual({ takes: 2, films: 1, sizeBytes: found.sizeBytes, isWhole: true });

    const there = (assets: readonly (AssetRef | null | undefined)[]) =>
      Promise.all(assets.map(async (asset) => asset != null && (await store.assets.has(asset))));
    const clips = ({ shots }: typeof first) =>
      shots.flatMap(({ takes }) => [takes.at(-1)?.asset, takes.at(-1)?.firstFrame, takes.at(-1)?.lastFrame?.asset]);
    expect(await there([first.film, ...clips(first)])).toEqual(Array(7).fill(false));
    expect(await there([first.frozen, second.frozen, second.film, ...clips(second)])).toEqual(Array(9).fill(true));
    expect(await store.ledger.takes('film', 'a')).toMatchObject([
      { take: 1, settled: { credits: 20 }, pruned: { at: expect.any(String) } },
      { take: 2 },
    ]);
    expect(await unused()).toEqual({ productions: [], films: [], sizeBytes: 0 });
    const found2 = await audit({ store, account: ACCOUNT, production: 'film', temporal: rig.temporal.client });
    expect(found2?.differences).toEqual([]);
  });

  it('leaves a take that a plan shows as pruned and a render collects again at no cost', async () => {
    const { shots } = await plan(cut('film', 'the first idea'));
    const reason =
      'its output was pruned; it is collected anew at no cost if the gateway still has it; otherwise, a new take costs 20 credits';
    expect(shots).toMatchObject([
      { shot: 'a', action: 'collected', take: 1, reason, quote: null },
      { shot: 'a2', action: 'collected', take: 1, reason },
    ]);
    const before = rig.sandbox.tasks().length;
    expect(await rig.render(cut('film', 'the first idea'))).toMatchObject({ state: 'completed' });
    expect(rig.sandbox.tasks()).toHaveLength(before);
    expect(await names()).toEqual(['film a 2', 'film a2 2']);
    expect((await plan(cut('film', 'the first idea'))).shots[0]).toMatchObject({ action: 'reused', reason: null });
  });
});
