import { createProductionRecords } from '../../client';
import { GENERATIONS } from '../../contracts/identifiers';
import { whatNext } from '../../scripts/answer';
import { type Store } from '../../store';
import { newStore } from '../books/store-with-takes';
import { AT } from '../support/ledger-fixtures';

/** A production whose render has begun from a file, and perhaps ended. */
async function storeWith(endedRender: string | undefined): Promise<Store> {
  const store = await newStore();
  const production = await store.putJson('a production');
  const begun = { renderId: 'second', production, account: 'sandbox', at: AT, path: '/film.yaml' };
  await createProductionRecords(store).begin('film', begun);
  if (endedRender !== undefined) {
    await store.records.replace('productions/film/status', { production: 'film', renderId: endedRender, shots: [] });
  }
  return store;
}

const LOOK = 'dailies status film';
const RENDER = 'dailies render /film.yaml --id film';

describe('what to type after an answer', () => {
  it.each([
    ['is to look where something runs', undefined, { goesOn: true, isServed: true }, LOOK],
    ['is to go on with what stopped with the command', undefined, { goesOn: true, isServed: false }, RENDER],
    ['is that too where an earlier render ended', 'first', { goesOn: true, isServed: false }, RENDER],
    ['is to look where it has ended, since rendering pays again', 'second', { goesOn: true, isServed: false }, LOOK],
    ['is to render what the next render asks for', 'second', { goesOn: false, isServed: true }, RENDER],
  ])('%s', async (_what, endedRender, next, line) => {
    expect(await whatNext(await storeWith(endedRender), 'film', next)).toBe(line);
  });

  it('is the same command for a single task', async () => {
    const next = { goesOn: true, isServed: true };
    expect(await whatNext(await newStore(), GENERATIONS, next)).toContain('dailies generate');
  });
});
