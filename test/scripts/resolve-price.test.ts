import { highest, mayBeSentAgain } from '../../scripts/verbs/resolve';
import { address, book, newStore } from '../books/store-with-takes';

describe('the price of a resubmit', () => {
  it('is that of one take: an unclear one, or the newest unless it has completed', async () => {
    const store = await newStore();
    await book(store, address('dawn', 1), 'unclear', { takeKey: '1'.repeat(64) });
    await book(store, address('dawn', 2), 'failed', { takeKey: '2'.repeat(64) });
    const takes = await store.ledger.takes('film', 'dawn');
    const numbers = (of: typeof takes, take?: number) => mayBeSentAgain(of, take).map((one) => one.take);
    expect(numbers(takes)).toEqual([1, 2]);
    expect(numbers(takes, 1)).toEqual([1]);
    expect(numbers(takes.slice(0, 1))).toEqual([1]);
    expect(numbers([])).toEqual([]);
  });

  it('is the highest of those that may be meant, and an unknown price is the highest', () => {
    const known = (credits: number) => ({ tasks: 1, credits, unknown: 0 });
    const unknown = { tasks: 1, credits: 0, unknown: 1 };
    expect(highest([known(4), known(9)])).toEqual(known(9));
    expect(highest([known(4), unknown, known(9)])).toEqual(unknown);
  });
});
