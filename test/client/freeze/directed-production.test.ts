import { directedProduction } from '../../../client/freeze/directed-production';
import { planRender } from '../../../client/plan';
import { chainFirsts } from '../../../contracts/file/frame-links';
import { type FrozenShot } from '../../../contracts/render/frozen';
import { shotDigest, type Store } from '../../../store';
import { newStore } from '../../books/store-with-takes';
import { betaShot, film, linkedShot, pictureShot, planOf } from '../../support/rig';

describe('a production with directions', () => {
  let store: Store;
  beforeEach(async () => {
    store = await newStore();
  });

  /** The shot as in the file, and as directed by a person. */
  const direct = (written: FrozenShot, shot: FrozenShot) =>
    store.directing.direct('film', written.id, { of: shotDigest(written), shot });
  async function planned(...shots: FrozenShot[]) {
    const written = film('film', shots);
    const { production, lapsed } = await directedProduction(written, store);
    const quotes = store.account('sandbox').quotes({});
    const plan = await planRender({
      store,
      account: 'sandbox',
      quotes,
      production,
      shots: planOf(production).shots,
      written,
      lapsed,
    });
    return { production, lapsed: plan.lapsed };
  }

  it('follows a direction that links to another shot', async () => {
    const linked = linkedShot('b', 'a', { variant: 8 });
    await direct(betaShot('b'), linked);
    const { production, lapsed } = await planned(betaShot('a'), betaShot('b'));
    expect(production.shots[1]).toEqual(linked);
    expect(lapsed).toEqual([]);
  });

  it.each([
    ['makes a circle with the file', [linkedShot('a', 'b'), betaShot('b')]],
    ['links to a shot that the file has no more', [betaShot('b')]],
    ['wants a frame of what is no video any more', [pictureShot('a'), betaShot('b')]],
  ])('lets a direction lapse that %s', async (_why, shots) => {
    await direct(betaShot('b'), linkedShot('b', 'a', { variant: 8 }));
    const { production, lapsed } = await planned(...shots);
    expect(production.shots).toEqual(shots);
    expect(lapsed).toEqual(['b']);
  });

  it('keeps the other directions if one lapses, and those that depend on one another', async () => {
    await direct(betaShot('b'), linkedShot('b', 'gone', { variant: 8 }));
    // Both links are reversed: only together they form no cycle.
    const [first, second] = [linkedShot('c', 'd', { variant: 8 }), betaShot('d', { variant: 8 })];
    await direct(betaShot('c'), first);
    await direct(linkedShot('d', 'c'), second);
    const { production, lapsed } = await planned(betaShot('b'), betaShot('c'), linkedShot('d', 'c'));
    expect(production.shots).toEqual([betaShot('b'), first, second]);
    expect(lapsed).toEqual(['b']);
  });

  it('finds the first shot of each chain, and stops searching in a cycle', () => {
    const chain = [betaShot('a'), linkedShot('b', 'a'), linkedShot('c', 'b')];
    expect([...chainFirsts(chain)]).toEqual([
      ['b', 'a'],
      ['c', 'a'],
    ]);
    const circle = [linkedShot('a', 'b'), linkedShot('b', 'a'), linkedShot('c', 'b')];
    expect([...chainFirsts(circle).keys()]).toEqual(['a', 'b', 'c']);
  });
});
