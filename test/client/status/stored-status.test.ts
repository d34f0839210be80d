import { storedStatus } from '../../../client';
import { type FrozenShot } from '../../../contracts/render/frozen';
import { type ProductionStatus } from '../../../contracts/status';
import { askKey, type Begun, type FolderStore, takeKey } from '../../../store';
import { address, book, newStore, type Standing } from '../../books/store-with-takes';
import { AT } from '../../support/ledger-fixtures';
import { betaShot, film, linkedShot, planOf, shotsBy } from '../../support/rig';

const REVIEWED = { takes: 2, review: { withinSeconds: null, otherwise: 'approve' as const } };

describe('the stored status of a shot in review, while nothing runs', () => {
  let store: FolderStore;
  beforeEach(async () => {
    store = await newStore();
  });

  /** The first of two takes has completed; the second has reached the given step. */
  async function reviewWith(second: Standing): Promise<unknown> {
    const production = film('film', [betaShot('dawn')]);
    const [dawn] = production.shots;
    const asked = [0, 1].map((sibling) =>
      askKey({ account: 'sandbox', productionId: 'film', shot: dawn!, links: [], sibling }),
    );
    const [first, other] = asked.map((ask) => ({ askKey: ask, takeKey: takeKey(ask, 0) }));
    await book(store, address('dawn', 1), 'settled', first);
    await book(store, address('dawn', 2), second, other);
    const asset = await store.putJson('a clip');
    const output = { asset, firstFrame: null, lastFrame: null, warnings: [] };
    await store.ledger.noteOutput(address('dawn', 1), 'task-dawn', output);
    const plan = await store.putJson(planOf(production, { shots: shotsBy(REVIEWED, production) }));
    await store.productions.begin('film', {
      ...{ renderId: 'render-1', account: 'sandbox', at: AT },
      production: await store.putJson(production),
      plan,
    });
    return (await storedStatus(store, 'sandbox', 'film', {}))?.shots[0];
  }

  it('counts a take as under way that the gateway has', async () => {
    expect(await reviewWith('accepted')).toMatchObject({ state: 'review', review: { takesUnderWay: 1 } });
  });

  it('counts no take that was never sent, for example because of the budget', async () => {
    expect(await reviewWith('intended')).toMatchObject({ state: 'review', review: { takesUnderWay: 0 } });
  });
});

describe('the stored status of shots that were never sent, while nothing runs', () => {
  let store: FolderStore;
  beforeEach(async () => {
    store = await newStore();
  });

  /** The first shot was charged 12 credits; the second was requested. */
  async function stopped(budget: number): Promise<ProductionStatus | undefined> {
    const production = film('film', [betaShot('noon'), betaShot('dawn')]);
    const [noon, dawn] = production.shots.map((shot) => {
      const ask = askKey({ account: 'sandbox', productionId: 'film', shot, links: [] });
      return { askKey: ask, takeKey: takeKey(ask, 0), parameters: shot.parameters };
    });
    await book(store, address('noon'), 'settled', noon);
    // An edit has replaced it, so it requests nothing any more.
    await book(store, address('dawn'), 'intended', {
      takeKey: 'f'.repeat(64),
      parameters: { ...dawn!.parameters, duration: 15 },
    });
    await book(store, address('dawn', 2), 'intended', dawn);
    const asset = await store.putJson('a clip');
    const output = { asset, firstFrame: null, lastFrame: null, warnings: [] };
    await store.ledger.noteOutput(address('noon'), 'task-noon', output);
    const plan = await store.putJson({ ...planOf(production), budget: { credits: budget } });
    await store.productions.begin('film', {
      ...{ renderId: 'render-1', account: 'sandbox', at: AT },
      production: await store.putJson(production),
      plan,
    });
    return storedStatus(store, 'sandbox', 'film', {});
  }

  it('says that shots wait for a larger budget, with the command', async () => {
    expect(await stopped(20)).toMatchObject({
      state: 'running',
      reason: 'the rest waits for you; more budget lets dawn go on: `dailies budget film --credits M`',
      fromStore: true,
      shots: [
        { id: 'noon', state: 'completed' },
        {
          id: 'dawn',
          state: 'parked',
          parked: { for: 'budget' },
          reason: 'it needs 12 credits, and 8 of 20 credits are left',
        },
      ],
    });
  });

  it('says that shots that fit continue in the next render, as after a crash before their submit', async () => {
    expect(await stopped(24)).toMatchObject({
      reason: 'interrupted; `dailies render FILE --id film` goes on where it stopped',
      shots: [{ state: 'completed' }, { id: 'dawn', state: 'rendering', parked: null }],
    });
  });
});

describe('the reason why a stored production does not continue', () => {
  /** The first shot waits for a decision about an unclear submit; the second was not requested yet. */
  async function reasonWith(second: FrozenShot, begun: Partial<Begun> = {}): Promise<string | null | undefined> {
    const store = await newStore();
    const production = film('film', [betaShot('noon'), second]);
    const ask = askKey({ account: 'sandbox', productionId: 'film', shot: production.shots[0]!, links: [] });
    await book(store, address('noon'), 'unclear', { askKey: ask, takeKey: takeKey(ask, 0) });
    const ref = await store.putJson(production);
    await store.productions.begin('film', {
      ...{ renderId: 'render-1', account: 'sandbox', at: AT, production: ref, ...begun },
      plan: await store.putJson(planOf(production)),
    });
    const status = await storedStatus(store, 'sandbox', 'film', {});
    expect(status?.shots[0]?.state).toBe('parked');
    return status?.reason;
  }

  it('is a decision only if the next render would send nothing', async () => {
    expect(await reasonWith(linkedShot('dawn', 'noon'))).toBe('the rest waits for you');
    expect(await reasonWith(betaShot('dawn'))).toMatch(/^interrupted; /);
  });

  it("names the command of the batch for a batch's row, and no file for a production that a program gave", async () => {
    expect(await reasonWith(betaShot('dawn'), { batch: 'rows' })).toBe(
      'interrupted; `dailies batch retry-failed rows --missing` goes on where it stopped',
    );
    expect(await reasonWith(betaShot('dawn'), { given: true })).toBe(
      'interrupted; the program that started it goes on where it stopped',
    );
  });
});
