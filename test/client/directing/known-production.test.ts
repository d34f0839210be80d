import { knownRender } from '../../../client/directing';
import { address, book, newStore } from '../../books/store-with-takes';
import { AT } from '../../support/ledger-fixtures';

describe('a production whose last version the store has lost', () => {
  it.each([
    [{ batch: 'rows' }, 'the program that gave the batch "rows" records it again'],
    [{ given: true as const }, 'the program that started it records it again'],
    [{}, '`dailies render FILE --id film` records it again'],
  ])('names the command that records it again: %j', async (begun, words) => {
    const store = await newStore();
    await book(store, address('noon'), 'settled');
    const production = { ...(await store.putJson({})), sha256: 'a'.repeat(64) };
    await store.productions.begin('film', { renderId: 'render-1', account: 'sandbox', at: AT, production, ...begun });
    await expect(knownRender(store, 'sandbox', 'film')).rejects.toThrow(words);
  });
});
