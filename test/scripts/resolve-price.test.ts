import { mayBeSentAgain } from '../../scripts/verbs/resolve';
import { type FolderStore, type TakeHistory } from '../../store';
import { address, book, newStore } from '../books/store-with-takes';
import { AT } from '../support/ledger-fixtures';

describe('the takes that a resubmit may send again', () => {
  let store: FolderStore;
  beforeEach(async () => {
    store = await newStore();
    await book(store, address('dawn', 1), 'unclear', { takeKey: '1'.repeat(64) });
    await book(store, address('dawn', 2), 'settled', { takeKey: '2'.repeat(64) });
  });

  const takes = (): Promise<readonly TakeHistory[]> => store.ledger.takes('film', 'dawn');
  const numbers = (of: readonly TakeHistory[], take?: number) => mayBeSentAgain(of, take).map((one) => one.take);

  it('are unclear ones, skipped ones, and the newest one if it has no output', async () => {
    expect(numbers(await takes())).toEqual([1, 2]);
    await store.ledger.decide(address('dawn', 1), 1, { kind: 'skip', by: 'person', afterSending: 1, at: AT });
    expect(numbers(await takes())).toEqual([1, 2]);
    const [first, second] = await takes();
    const output = { asset: await store.putJson('a clip') } as unknown as NonNullable<TakeHistory['output']>;
    expect(numbers([first!, { ...second!, output }])).toEqual([1]);
  });

  it('are only the given one, or the newest one if there is none with this number', async () => {
    expect(numbers(await takes(), 1)).toEqual([1]);
    expect(numbers(await takes(), 7)).toEqual([2]);
    expect(numbers([])).toEqual([]);
  });
});
