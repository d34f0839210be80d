import { storedShot } from '../../../client/records/stored-shot';
import { type Decision } from '../../../contracts/render/decision';
import { type Begun, type FolderStore, type TakeHistory } from '../../../store';
import { address, book, newStore, type Standing } from '../../books/store-with-takes';
import { AT, FROZEN } from '../../support/ledger-fixtures';

const NOW_MS = Date.parse(AT) + 3_600_000;

const RENDER: Begun = {
  renderId: 'render-1',
  production: FROZEN,
  account: 'sandbox',
  at: AT,
  deadlines: { dawn: 900 },
};

const WITHOUT_DEADLINES = { ...RENDER, deadlines: undefined };
const ANOTHER = { ...RENDER, renderId: 'render-2', at: new Date(NOW_MS).toISOString() };

describe('a shot that only the store knows', () => {
  let store: FolderStore;

  beforeEach(async () => {
    store = await newStore();
  });

  async function taken(standing: Standing): Promise<TakeHistory> {
    await book(store, address('dawn'), standing);
    return (await store.ledger.take(address('dawn')))!;
  }

  async function decided(history: TakeHistory, kind: Decision['kind'], at = AT): Promise<TakeHistory> {
    const afterSending = history.sendings.at(-1)?.n ?? 0;
    await store.ledger.decide(address('dawn'), history.decisions.length + 1, { kind, by: 'person', afterSending, at });
    return (await store.ledger.take(address('dawn')))!;
  }

  const stands = (history: TakeHistory | undefined, render = RENDER) => storedShot('dawn', history, render, NOW_MS);

  it.each<[Standing, object]>([
    ['unclear', { parked: { for: 'unclear', since: AT }, reason: 'no answer' }],
    ['abandoned', { parked: { for: 'unclear', since: AT }, reason: expect.stringContaining('no answer is recorded') }],
    ['failed', { parked: { for: 'failed', since: AT }, reason: 'no luck' }],
    [
      'accepted',
      { parked: { for: 'overdue', since: '2026-01-01T00:15:00.000Z' }, reason: expect.stringContaining('task-dawn') },
    ],
    ['refused for credits', { parked: { for: 'credits', since: AT }, reason: expect.stringContaining('402') }],
  ])('is parked if its take is %s, and says why and since when', async (standing, says) => {
    expect(stands(await taken(standing))).toEqual({ state: 'parked', ...says });
  });

  it('renders if it continues by itself, and says what held it up', async () => {
    expect(stands(await taken('refused for now'))).toEqual({
      state: 'rendering',
      reason: `not accepted at ${AT}: 429`,
      parked: null,
    });
  });

  it('says of a task that has ended that its output is not there yet', async () => {
    expect(stands(await taken('settled'))).toMatchObject({
      state: 'rendering',
      reason: expect.stringContaining('not in the store yet'),
    });
  });

  it('is overdue only by a known deadline, which restarts with a later render or a decision to wait', async () => {
    const accepted = await taken('accepted');
    const renders = { state: 'rendering', reason: null, parked: null };
    expect(stands(accepted, WITHOUT_DEADLINES)).toEqual(renders);
    expect(stands(accepted, ANOTHER)).toEqual(renders);
    expect(stands(await decided(accepted, 'wait', new Date(NOW_MS - 1_000).toISOString()))).toEqual(renders);
  });

  it.each<Standing>(['unclear', 'failed', 'accepted', 'refused for credits'])(
    'continues if a person has decided so about a take that is %s',
    async (standing) => {
      expect(stands(await decided(await taken(standing), 'resubmit'))).toMatchObject({
        state: 'rendering',
        parked: null,
      });
    },
  );

  it.each<Standing>(['unclear', 'failed', 'accepted'])(
    'is skipped from now on by a decision about a take that is %s, until it is resubmitted',
    async (standing) => {
      const skipped = await decided(await taken(standing), 'skip');
      expect(stands(skipped)).toEqual({ state: 'skipped', reason: 'a person left it out', parked: null });
      expect(stands(skipped, ANOTHER)).toMatchObject({ state: 'skipped' });
      await store.ledger.decide(address('dawn'), 2, { ...skipped.decisions[0]!, kind: 'resubmit' });
      const takenBack = (await store.ledger.take(address('dawn')))!;
      expect(stands(takenBack)).toMatchObject({ state: 'skipped' });
      expect(stands(takenBack, ANOTHER)).not.toMatchObject({ state: 'skipped' });
    },
  );

  it('has not begun if its take is missing, or failed in an earlier render', async () => {
    expect(stands(undefined)).toMatchObject({ state: 'pending' });
    expect(stands(await taken('failed'), ANOTHER)).toMatchObject({ state: 'pending' });
  });
});
