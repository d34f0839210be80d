import { createBudgets } from '../../../client';
import { newStore } from '../../books/store-with-takes';
import { betaShot, film, planOf } from '../../support/rig';

const production = film('film', [betaShot('a')]);

/** Budgets of a production, and the starts of its renders. */
async function budgetsOfFilm() {
  const store = await newStore();
  const budgets = createBudgets(store);
  const { productions } = store;
  return {
    give: (credits: number) => budgets.give('film', credits),
    inForce: (file: number) => budgets.inForce('film', { credits: file }),
    /** @returns the credits with which it runs. */
    begin: async (file: number): Promise<number | undefined> => {
      const plan = planOf(production, { budget: { credits: file } });
      const running = await budgets.planInForce('film', plan);
      const [frozen, ref] = [await store.putJson(production), await store.putJson(plan)];
      await productions.begin('film', { renderId: 'r', production: frozen, account: 'sandbox', at: '', plan: ref });
      return running.budget?.credits;
    },
  };
}

describe('a budget that was set by command', () => {
  it("holds in later renders while the file's budget is unchanged", async () => {
    const { begin, give, inForce } = await budgetsOfFilm();
    await begin(100);
    await give(1000);
    expect([await begin(100), await begin(100)]).toEqual([1000, 1000]);
    expect(await inForce(100)).toEqual({ credits: 1000 });
    // A budget that is not rendered has no effect.
    expect(await inForce(50)).toEqual({ credits: 50 });
    expect(await begin(100)).toBe(1000);
  });

  it('ends once a file with another number is rendered, even if the file returns to the old number', async () => {
    const { begin, give, inForce } = await budgetsOfFilm();
    await begin(100);
    await give(1000);
    expect(await begin(50)).toBe(50);
    expect(await inForce(100)).toEqual({ credits: 100 });
    expect([await begin(100), await begin(100)]).toEqual([100, 100]);
    await give(500);
    expect(await begin(100)).toBe(500);
  });
});
