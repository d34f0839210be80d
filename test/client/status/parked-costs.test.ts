import { parkedCosts, withParkedCosts } from '../../../client/status/parked-costs';
import { type ParkedFor } from '../../../contracts/render/decision';
import { type Manifest, ManifestShot, type ParkedCosts } from '../../../contracts/manifest';
import { resolveWays } from '../../../client';
import { type Quotes, type FolderStore } from '../../../store';
import { mayBeChargedInWords, pricedWays } from '../../../scripts/wording/report';
import { address, book, newStore, type Standing } from '../../books/store-with-takes';
import { AT, sent } from '../../support/ledger-fixtures';

const PRICE = { low: 10, high: 12 };

describe('what a parked shot costs', () => {
  let store: FolderStore;

  beforeEach(async () => {
    store = await newStore();
  });

  async function costs(parkedFor: ParkedFor, price: typeof PRICE | null = PRICE): Promise<ParkedCosts> {
    const quotes = (() => Promise.resolve({ credits: price })) as unknown as Quotes;
    return parkedCosts({ for: parkedFor }, await store.ledger.takes('film', 'dawn'), quotes);
  }

  const FREE = { low: 0, high: 0 };

  it.each<Standing>(['unclear', 'abandoned'])(
    'may have been charged if it is %s, and again by the answer',
    async (how) => {
      await book(store, address('dawn'), how);
      const told = await costs('unclear');
      expect(told).toEqual({
        unclearSubmits: 1,
        mayBeCharged: { low: 0, high: 12 },
        answers: [
          { answer: 'adopt', credits: FREE },
          { answer: 'resubmit', credits: PRICE },
          { answer: 'skip', credits: FREE },
          { answer: 'use', credits: FREE },
        ],
      });
      expect(mayBeChargedInWords(told)).toContain('up to 12 credits, for one submit');
      const ways = pricedWays(resolveWays('film', 'dawn', 'unclear'), told);
      expect(ways.map(({ means }) => means.includes('10 to 12 credits more'))).toEqual([false, true, false, false]);
    },
  );

  it('counts every submit whose outcome is unknown, and no other', async () => {
    await book(store, address('dawn'), 'unclear');
    await store.ledger.endSending(address('dawn'), 2, {
      kind: 'refused',
      record: { again: true, reason: '429', at: AT },
    });
    await store.ledger.beginSending(address('dawn'), 3, sent(0));
    await book(store, address('dawn', 2), 'settled', { takeKey: 'c'.repeat(64) });
    expect(await costs('unclear')).toMatchObject({ unclearSubmits: 2, mayBeCharged: { low: 0, high: 24 } });
  });

  it('counts an unclear submit of a take that was sent again and accepted', async () => {
    await book(store, address('dawn'), 'unclear');
    await store.ledger.beginSending(address('dawn'), 2, sent());
    expect(await costs('overdue')).toMatchObject({ unclearSubmits: 1, mayBeCharged: { low: 0, high: 12 } });
    await store.ledger.endSending(address('dawn'), 2, { kind: 'accepted', record: { taskId: 'task-2', at: AT } });
    expect(await costs('overdue')).toMatchObject({ unclearSubmits: 1, mayBeCharged: { low: 0, high: 12 } });
  });

  it('counts a submit that was answered with the task of another take', async () => {
    await book(store, address('dawn'), 'unclear');
    const answered = { taskId: 'task-of-another', ended: null, at: AT };
    await store.ledger.endSending(address('dawn'), 1, { kind: 'answered', record: answered });
    expect(await costs('unclear')).toMatchObject({ unclearSubmits: 1, mayBeCharged: { low: 0, high: 12 } });
  });

  it('says that the price is unknown', async () => {
    await book(store, address('dawn'), 'unclear');
    const told = await costs('unclear', null);
    expect(told).toMatchObject({ mayBeCharged: null, answers: [{}, { answer: 'resubmit', credits: null }, {}, {}] });
    expect(mayBeChargedInWords(told)).toContain('an unknown amount');
    expect(pricedWays(resolveWays('film', 'dawn', 'unclear'), told)[1]?.means).toContain('price unknown');
  });

  it("has each parked take's own price", async () => {
    await book(store, address('dawn'), 'unclear', { parameters: { duration: 4 } });
    await book(store, address('dawn', 2), 'unclear', { parameters: { duration: 9 }, takeKey: 'c'.repeat(64) });
    await book(store, address('dawn', 3), 'unclear', { parameters: {}, takeKey: 'd'.repeat(64) });
    const quotes = ((_model: string, { duration }: { duration?: number }) =>
      Promise.resolve({
        credits: duration === undefined ? null : { low: duration, high: duration },
      })) as unknown as Quotes;
    const takes = [1, 2, 3].map((take) => ({ take, for: 'unclear' as const }));
    const parked = { for: 'unclear', since: AT, takes, command: '' } as const;
    const manifest = { shots: [{ id: 'dawn', parked }] } as unknown as Manifest;
    const histories = new Map([['dawn', await store.ledger.takes('film', 'dawn')]]);

    const [shot] = (await withParkedCosts(manifest, histories, quotes)).shots;
    const priced = ManifestShot.shape.parked.parse(shot?.parked);
    expect(priced?.takes?.map(({ resubmit }) => resubmit)).toEqual([{ low: 4, high: 4 }, { low: 9, high: 9 }, null]);
    const ways = pricedWays(resolveWays('film', 'dawn', 'unclear', takes), priced?.costs, priced?.takes);
    const means = ways.filter(({ command }) => command.endsWith('--resubmit')).map((way) => way.means);
    const prices = ['(4 credits more)', '(9 credits more)', '(price unknown)'];
    expect(means.map((text, index) => text.endsWith(prices[index] ?? ''))).toEqual([true, true, true]);
  });

  it('include nothing unclear if it waits for something else', async () => {
    await book(store, address('dawn'), 'accepted');
    const told = await costs('overdue');
    expect(told).toMatchObject({ unclearSubmits: 0, mayBeCharged: FREE });
    expect(told.answers[0]).toEqual({ answer: 'wait', credits: FREE });
  });
});
