import { createProductionRecords, storedStatus } from '../../client';
import { askKey, type Store, takeKey } from '../../store';
import { address, book, newStore, type Standing } from '../books/store-with-takes';
import { AT } from '../support/ledger-fixtures';
import { betaShot, film, planOf, shotsBy } from '../support/rig';

const REVIEWED = { takes: 2, review: { withinSeconds: null, otherwise: 'approve' as const } };

describe('what the store tells of a shot in review, while nothing runs', () => {
  let store: Store;
  beforeEach(async () => {
    store = await newStore();
  });

  /** The first of two takes has completed; the second has come as far as is said. */
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
    await createProductionRecords(store).begin('film', {
      ...{ renderId: 'render-1', account: 'sandbox', at: AT },
      production: await store.putJson(production),
      plan,
    });
    return (await storedStatus(store, 'sandbox', 'film'))?.shots[0];
  }

  it('counts a take as under way that the gateway has', async () => {
    expect(await reviewWith('accepted')).toMatchObject({ state: 'review', review: { takesUnderWay: 1 } });
  });

  it('counts none that was never sent, as where the budget did not allow it', async () => {
    expect(await reviewWith('intended')).toMatchObject({ state: 'review', review: { takesUnderWay: 0 } });
  });
});
