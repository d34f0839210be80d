import { GENERATIONS } from '../../contracts/identifiers';
import { goingOnInWords } from '../../scripts/renders/going-on';
import { type FolderStore } from '../../store';
import { newStore } from '../books/store-with-takes';
import { AT } from '../support/ledger-fixtures';
import { recordsOf } from '../support/store-records';

/** A production whose render was started from a file, and may have ended. */
async function storeWith(endedRender: string | undefined): Promise<FolderStore> {
  const store = await newStore();
  const production = await store.putJson('a production');
  const begun = { renderId: 'second', production, account: 'sandbox', at: AT, path: '/film.yaml' };
  await store.productions.begin('film', begun);
  if (endedRender !== undefined) {
    await recordsOf(store).replace('productions/film/status', { production: 'film', renderId: endedRender, shots: [] });
  }
  return store;
}

const LOOK = '`dailies status film`';
const RENDER = '`dailies render /film.yaml --id film`';

describe('the message after an answer', () => {
  it.each([
    ['it goes on where something runs', undefined, { goesOn: true, isServed: true }, `goes on by itself; ${LOOK}`],
    ['it waits where nothing runs', undefined, { goesOn: true, isServed: false }, `it waits; ${RENDER}`],
    ['it waits too where an earlier render ended', 'first', { goesOn: true, isServed: false }, `it waits; ${RENDER}`],
    ['it is only looked at where it has ended', 'second', { goesOn: true, isServed: false }, `has ended; ${LOOK}`],
    ['the next render does what nothing does yet', 'second', { goesOn: false, isServed: true }, `yet; ${RENDER}`],
  ])('says that %s', async (_what, endedRender, next, line) => {
    expect(await goingOnInWords(await storeWith(endedRender), 'film', next)).toContain(line);
  });

  it('names the hold, and the command that ends it', async () => {
    const store = await storeWith(undefined);
    const { holds } = store;
    await holds.hold('film', 'it was interrupted');
    const next = { goesOn: true, isServed: true };
    expect(await goingOnInWords(store, 'film', next)).toContain(`since it was interrupted; ${RENDER}`);
    await holds.pause('film', 'money');
    for (const isServed of [true, false]) {
      expect(await goingOnInWords(store, 'film', { goesOn: true, isServed })).toContain('`dailies resume film`');
    }
  });

  it('names the same command for a single task', async () => {
    const next = { goesOn: true, isServed: true };
    expect(await goingOnInWords(await newStore(), GENERATIONS, next)).toContain('the same `dailies generate` again');
  });
});
