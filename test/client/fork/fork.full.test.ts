import { inStore, manifestOf } from '../../../client';
import { forkProduction } from '../../../client/fork';
import { planRender } from '../../../client/plan';
import { findUnused, pruneStore } from '../../../client/prune';
import { type FrozenProduction } from '../../../contracts/render/frozen';
import { chosenTakeOf } from '../../../contracts/status';
import { choiceAddress, shotDigest, type Store } from '../../../store';
import { betaShot, film, linkedShot, planOf, type Rig, startRig } from '../../support/rig';
import { until } from '../../support/until';
import { DEATH, dyingStore } from './dying-store';
import { checkClaim } from '../../../client/records/production-claim';

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

  const fork = (newId: string, from?: string, store: Store = rig.store) =>
    forkProduction({ store, account: ACCOUNT, productionId: 'first', newId, from });
  const plan = (production: FrozenProduction, shots = planOf(production).shots) =>
    planRender({
      store: rig.store,
      account: ACCOUNT,
      quotes: rig.store.account(ACCOUNT).quotes({}),
      production,
      shots,
    });

  it('that a crash interrupted is not rendered until it is repeated, and is complete then', async () => {
    await expect(fork('cut-short', undefined, dyingStore(rig.store, 'b'))).rejects.toThrow(DEATH);
    const claim = { productionId: 'cut-short', path: '/film.yaml', takeOver: true };
    await expect(checkClaim(rig.store, claim)).rejects.toThrow('dailies fork first cut-short');
    await expect(fork('cut-short', 'b')).rejects.toThrow('unfinished fork of "first"');

    expect((await fork('cut-short')).reused).toHaveLength(4);
    await checkClaim(rig.store, claim);
    const { shots: planned, film: planOfFilm } = await plan(film('cut-short', shots()));
    expect(planned.map(({ action }) => action)).toEqual(['reused', 'reused', 'reused', 'reused']);
    // The title is part of the film.
    expect(planOfFilm.action).toBe('anew');
    await expect(fork('cut-short')).rejects.toThrow('already');
  });

  it('is refused if another of the takes side by side was chosen since an interrupted attempt', async () => {
    const source = film('twice', [betaShot('a'), linkedShot('b', 'a')]);
    const two = (directed: boolean) => ({
      shots: planOf(source).shots.map((shot, index) => ({ ...shot, takes: index === 0 ? 2 : 1, directed })),
    });
    const { filmTake, takes } = (await rig.render(source, two(false))).shots[0]!;
    const request = { account: ACCOUNT, productionId: 'twice', newId: 'half-chosen', from: undefined };
    await expect(forkProduction({ ...request, store: dyingStore(rig.store, 'b') })).rejects.toThrow(DEATH);

    const other = takes.find(({ take }) => take !== filmTake)!;
    const choice = { takeKey: other.takeKey, take: other.take, by: 'person', approved: true } as const;
    const shot = source.shots[0]!;
    await rig.store.directing.choose(
      choiceAddress({ account: ACCOUNT, productionId: 'twice', shot, links: [] }),
      choice,
    );
    expect(await rig.render(source, two(true))).toMatchObject({ state: 'completed' });
    await expect(forkProduction({ ...request, store: rig.store })).rejects.toThrow(/another choice for "a"; .*paid/);
    expect(await rig.store.productions.fork('half-chosen')).toMatchObject({ done: false });
    expect(await rig.store.ledger.takes('half-chosen', 'b')).toEqual([]);
  });

  it('reuses the chosen one of takes side by side, and pays for none of the others again', async () => {
    const twice = (production: FrozenProduction, directed: boolean) => ({
      shots: planOf(production).shots.map((shot) => ({ ...shot, takes: 2, directed })),
    });
    const source = film('twice', [betaShot('a'), linkedShot('a2', 'a')]);
    const first = await rig.render(source, twice(source, false));
    const { filmTake, takes } = first.shots[0]!;
    const other = takes.find(({ take }) => take !== filmTake)!;
    const choice = { takeKey: other.takeKey, take: other.take, by: 'person', approved: true } as const;
    const shot = source.shots[0]!;
    const { directing } = rig.store;
    await directing.choose(choiceAddress({ account: ACCOUNT, productionId: 'twice', shot, links: [] }), choice);
    await rig.render(source, twice(source, true));

    await forkProduction({
      store: rig.store,
      account: ACCOUNT,
      productionId: 'twice',
      newId: 'twice-more',
      from: undefined,
    });
    const before = rig.sandbox.tasks().length;
    const cut = { ...source, id: 'twice-more' };
    const status = await rig.render(cut, twice(cut, true));
    expect(status).toMatchObject({ state: 'completed', shots: [{ state: 'completed' }, { state: 'completed' }] });
    expect(rig.sandbox.tasks()).toHaveLength(before);
    expect(chosenTakeOf(status.shots[0]!)?.asset).toEqual(other.asset);
    expect(await rig.store.ledger.takes('twice-more', 'a')).toHaveLength(2);
  });

  it('pays for none of the takes beside the chosen one, even if one failed and another was pruned', async () => {
    const thrice = (production: FrozenProduction, directed: boolean) =>
      planOf(production).shots.map((shot) => ({ ...shot, takes: 3, directed }));
    const source = film('thrice', [betaShot('a')]);
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    const first = await rig.render(source, { shots: thrice(source, false) });
    expect(first.shots[0]?.takes.map(({ state }) => state).toSorted()).toEqual(['completed', 'completed', 'failed']);
    const found = await findUnused(rig.store, ACCOUNT);
    const productions = found.productions.filter((one) => one.production === 'thrice');
    expect(await pruneStore(rig.store, ACCOUNT, { ...found, productions, films: [] })).toMatchObject({ takes: 1 });

    await forkProduction({
      store: rig.store,
      account: ACCOUNT,
      productionId: 'thrice',
      newId: 'more',
      from: undefined,
    });
    const cut = { ...source, id: 'more' };
    const { shots: planned, quote } = await plan(cut, thrice(cut, true));
    expect(planned).toMatchObject([{ action: 'reused', newTakes: 0 }]);
    expect(quote.tasks).toBe(0);
    const before = rig.sandbox.tasks().length;
    const status = await rig.render(cut, { shots: thrice(cut, true) });
    expect(status).toMatchObject({ state: 'completed', shots: [{ state: 'completed' }] });
    expect(rig.sandbox.tasks()).toHaveLength(before);
    expect(chosenTakeOf(status.shots[0]!)?.asset).toEqual(chosenTakeOf(first.shots[0]!)?.asset);
    const manifest = await manifestOf(rig.store, ACCOUNT, status, inStore(rig.store));
    expect(manifest.shots[0]?.takes.map(({ state }) => state).toSorted()).toEqual(['completed', 'completed', 'failed']);
  });

  it('is compared with the reused takes, so that a plan names the differences', async () => {
    // As if the frame had been sent with corrected colours.
    const carried = { startFrame: 'c'.repeat(64) };
    const anchored: Store = {
      ...rig.store,
      ledger: {
        ...rig.store.ledger,
        async take(address) {
          const history = await rig.store.ledger.take(address);
          return history && { ...history, intent: { ...history.intent, carried } };
        },
      },
    };
    await fork('anchored', 'a2', anchored);
    expect(await rig.store.ledger.takes('anchored', 'a')).toMatchObject([{ intent: { carried } }]);

    await fork('compared', 'b');
    const another = betaShot('a', { parameters: { ...betaShot('a').parameters, prompt: 'another' } });
    const { shots: planned } = await plan(film('compared', [another, linkedShot('a2', 'a'), betaShot('b')]));
    expect(planned).toMatchObject([
      { action: 'changed', take: 1, changes: [{ parameter: 'prompt', to: 'another' }] },
      { action: 'stale', take: 1, through: ['a'], changes: [] },
      { action: 'new' },
    ]);
  });

  it('copies choices, directions and the takes beside the chosen one', async () => {
    const { directing } = rig.store;
    const [take] = await rig.store.ledger.takes('first', 'a');
    const direction = { of: 'f'.repeat(64), shot: betaShot('a') };
    await directing.direct('first', 'a', direction);
    const choice = { takeKey: take!.intent.takeKey, take: 1, by: 'person', approved: true } as const;
    await directing.choose({ productionId: 'first', shotId: 'a', context: take!.intent.askKey }, choice);
    await fork('directed', 'b');
    const [alias] = await rig.store.ledger.takes('directed', 'a');
    const address = { productionId: 'directed', shotId: 'a', context: alias!.intent.askKey };
    expect(await directing.choice(address)).toMatchObject({ ...choice, takeKey: alias!.intent.takeKey });
    expect(await directing.direction('directed', 'a')).toMatchObject(direction);
  });

  it('whose clip is lost parks, says where the clip came from, and continues once it is there again', async () => {
    await fork('lost', 'a2');
    const [alias] = await rig.store.ledger.takes('lost', 'a');
    const { asset } = alias!.output!;
    const bytes = await rig.store.assets.remove(asset, new Date());
    expect(bytes).toBe(true);
    await rig.start(film('lost', [betaShot('a')]));
    const parked = await until(async () =>
      (await rig.client.status('lost'))?.shots.find(({ state }) => state === 'parked'),
    );
    expect(parked.reason).toContain('take 1 of "a" in "first"');
    expect(await rig.render(film('first', shots()))).toMatchObject({ state: 'completed' });
    await rig.client.resolve('lost', 'a', { kind: 'wait' });
    expect(await rig.client.ended('lost')).toMatchObject({ state: 'completed' });
  });

  it('reuses the paid take of a shot, and what starts on it, while a newer take of another resolution is parked', async () => {
    const source = film('drafted', [betaShot('a'), linkedShot('a2', 'a'), betaShot('b')]);
    expect(await rig.render(source)).toMatchObject({ state: 'completed' });
    const [a] = source.shots;
    const retaken = { ...a!, variant: 8, parameters: { ...a!.parameters, resolution: '720p' } };
    await rig.store.directing.direct('drafted', 'a', { of: shotDigest(a!), shot: retaken });
    rig.sandbox.faults.inject({ kind: 'refuse-402', on: 'submit', count: 1 });
    const directed = film('drafted', [retaken, linkedShot('a2', 'a'), betaShot('b')]);
    await rig.client.render({
      productionId: 'drafted',
      production: await rig.store.putJson(directed),
      written: await rig.store.putJson(source),
      plan: planOf(directed),
    });
    await until(async () => (await rig.client.status('drafted'))?.shots[0]?.state === 'parked');
    await rig.client.cancel('drafted');
    await rig.client.ended('drafted');

    const forked = await forkProduction({
      ...{ store: rig.store, account: ACCOUNT, productionId: 'drafted', newId: 'redrafted', from: 'b' },
    });
    expect(forked).toMatchObject({
      reused: [
        { shot: 'a', take: 1, of: 1 },
        { shot: 'a2', take: 1, of: 1 },
      ],
      left: [],
      new: ['b'],
    });
    // The directed version has no take yet, so the new production follows the file.
    expect(await rig.store.directing.direction('redrafted', 'a')).toBeUndefined();
    const cut = { ...source, id: 'redrafted' };
    expect((await plan(cut)).shots.map(({ shot, action }) => [shot, action])).toEqual([
      ['a', 'reused'],
      ['a2', 'reused'],
      ['b', 'new'],
    ]);
  });
});
