import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  openStore,
  sendingState,
  type FolderStore,
  type TakeAddress,
  type TakeHistory,
  accountInLedger,
} from '../../../store';
import { ADDRESS, AT, intent, settled } from '../../support/ledger-fixtures';
import { temporaryFolder } from '../../support/temporary-folder';

const HOUR = 3_600;
const NOW = new Date().toISOString();
const LONG_AGO = new Date(Date.now() - 25 * HOUR * 1_000).toISOString();
const KEY = { takeKey: intent().takeKey, sending: 1 };

type Sending = TakeHistory['sendings'][number];

const sentAt = (at: string, leased?: number): NonNullable<Sending['sent']> => ({
  at,
  until: at,
  mode: 'submit',
  ...(leased === undefined ? {} : { lease: { sending: leased, deadlineSeconds: HOUR } }),
});
const refused = (changes: object = {}) => ({ again: true, reason: 'no', at: AT, ...changes });
const taken = (sendings: readonly Sending[], changes: Partial<TakeHistory> = {}): TakeHistory => ({
  take: 1,
  intent: intent(),
  sendings,
  decisions: [],
  ...changes,
});
const decision = (by: 'person' | 'policy', kind: 'resubmit' | 'wait') =>
  ({ decisions: [{ kind, by, afterSending: 1, at: AT }] }) as const;
const unclear = { reason: 'no answer', at: AT };
const accepted = { taskId: 'task-1', at: NOW };

describe('the state of a leased sending', () => {
  it.each<[string, TakeHistory | undefined, ReturnType<typeof sendingState>]>([
    ['nothing is known of the take', undefined, 'unsent'],
    ['the take is another one', taken([], { intent: intent({ takeKey: 'f'.repeat(64) }) }), 'unsent'],
    ['nothing was sent', taken([]), 'unsent'],
    ['only another lease was used', taken([{ n: 2, sent: sentAt(NOW, 2) }]), 'unsent'],
    ['it is being sent', taken([{ n: 1, sent: sentAt(NOW, 1) }]), 'under-way'],
    ['it is being sent without a lease', taken([{ n: 1, sent: sentAt(NOW) }]), 'under-way'],
    ['its record was cut short', taken([{ n: 1, sent: null }], { intent: intent({ at: NOW }) }), 'under-way'],
    [
      'it was refused for now, and may be sent by it once more',
      taken([{ n: 1, sent: sentAt(NOW, 1), refused: refused() }]),
      'unsent',
    ],
    [
      'it was throttled',
      taken([{ n: 1, sent: sentAt(NOW, 1), refused: refused({ endsLease: true }) }]),
      { how: 'refused', credits: 0 },
    ],
    [
      'it was refused for good',
      taken([{ n: 1, sent: sentAt(NOW, 1), refused: refused({ again: false }) }]),
      { how: 'refused', credits: 0 },
    ],
    [
      'the second one by it is unclear',
      taken([
        { n: 1, sent: sentAt(NOW, 1), refused: refused() },
        { n: 2, sent: sentAt(NOW, 1), unclear },
      ]),
      'under-way',
    ],
    ['it is unclear', taken([{ n: 1, sent: sentAt(NOW, 1), unclear }]), 'under-way'],
    [
      'it is unclear, and a policy sends it again',
      taken([{ n: 1, sent: sentAt(NOW, 1), unclear }], decision('policy', 'resubmit')),
      'under-way',
    ],
    [
      'it is unclear, and a person waits',
      taken([{ n: 1, sent: sentAt(NOW, 1), unclear }], decision('person', 'wait')),
      'under-way',
    ],
    [
      'it is unclear, and a person has decided',
      taken([{ n: 1, sent: sentAt(NOW, 1), unclear }], decision('person', 'resubmit')),
      { how: 'ended', credits: null },
    ],
    [
      'it is unclear for longer than its task may take',
      taken([{ n: 1, sent: sentAt(AT, 1), unclear }]),
      { how: 'ended', credits: null },
    ],
    [
      'its answer named the task of another take, and a person has decided',
      taken(
        [{ n: 1, sent: sentAt(NOW, 1), answered: { ...accepted, ended: null }, unclear }],
        decision('person', 'resubmit'),
      ),
      { how: 'ended', credits: null },
    ],
    ['it was accepted', taken([{ n: 1, sent: sentAt(NOW, 1), accepted }]), 'under-way'],
    [
      'it was accepted a day ago',
      taken([{ n: 1, sent: sentAt(LONG_AGO, 1), accepted }]),
      { how: 'ended', credits: null },
    ],
    [
      'its task has ended',
      taken([{ n: 1, sent: sentAt(NOW, 1), accepted }], { settled: settled('completed', 'task-1', 5) }),
      { how: 'ended', credits: 5 },
    ],
    [
      'its task has ended, and another one was accepted for it',
      taken([{ n: 1, sent: sentAt(NOW, 1), accepted, alsoAccepted: { taskId: 'task-2', at: NOW } }], {
        settled: settled('completed', 'task-1', 5),
      }),
      'under-way',
    ],
    [
      'the task of another sending has ended',
      taken([{ n: 1, sent: sentAt(NOW, 1), unclear }], { settled: settled('completed', 'task-2', 5) }),
      'under-way',
    ],
  ])('%s', (_what, history, standing) => {
    expect(sendingState(history, KEY, HOUR)).toEqual(standing);
  });
});

describe('a survey of the whole account', () => {
  let store: FolderStore;

  beforeEach(async () => {
    store = await openStore(join(await temporaryFolder(), 'store'));
    // The test must not cross midnight.
    jest.useFakeTimers({ now: Date.parse(NOW), doNotFake: ['nextTick', 'setImmediate'] });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const look = () =>
    accountInLedger(store.ledger, {
      account: 'sandbox',
      quotes: () => Promise.resolve({ credits: { low: 9, high: 10 }, from: 'table', note: null } as never),
      alive: () => undefined,
    });
  async function take(shotId: string, changes: Parameters<typeof intent>[0] = {}): Promise<TakeAddress> {
    const address = { ...ADDRESS, shotId };
    await store.ledger.intend(address, intent({ takeKey: shotId.padEnd(64, '0'), ...changes }));
    await store.ledger.beginSending(address, 1, sentAt(NOW, 1));
    await store.ledger.endSending(address, 1, { kind: 'accepted', record: { taskId: `task-of-${shotId}`, at: NOW } });
    return address;
  }
  const ends = (address: TakeAddress, credits: number | null, at = NOW) =>
    store.ledger.settle(address, { ...settled('completed', `task-of-${address.shotId}`, credits), at });

  it('finds the tasks of this account that may be at the gateway, and its charges of today', async () => {
    await take('a1');
    await take('b2', { account: 'another' });
    await ends(await take('c3'), 7);
    await ends(await take('d4'), 3, AT);
    const found = await look();
    expect(found.underWay).toMatchObject([{ shotId: 'a1', sending: 1, credits: 10, useByMs: null }]);
    expect(found.spent.byModel).toEqual({ 'beta-2.5': 7 });
    expect([...found.counted]).toEqual(['c3'.padEnd(64, '0')]);
    expect(found.unreadable).toEqual([]);
  });

  it('finds the second task of a take whose first one ended on an earlier day, until it is old', async () => {
    const address = await take('a1');
    await ends(address, 7, LONG_AGO);
    await store.ledger.beginSending(address, 2, sentAt(NOW, 2));
    expect((await look()).underWay).toMatchObject([{ shotId: 'a1', sending: 2 }]);
    await store.ledger.endSending(address, 2, { kind: 'accepted', record: { taskId: 'task-2', at: NOW } });
    const { underWay, spent } = await look();
    expect(underWay).toMatchObject([{ shotId: 'a1', sending: 2, credits: 10 }]);
    expect(spent.byModel).toEqual({});
    jest.setSystemTime(Date.parse(NOW) + 25 * HOUR * 1_000);
    expect((await look()).underWay).toEqual([]);
  });

  it('finds another task of the same sending whose first one ended on an earlier day', async () => {
    const address = await take('a1');
    const record = { taskId: 'task-2', at: NOW };
    await store.ledger.endSending(address, 1, { kind: 'also-accepted', record });
    await ends(address, 7, LONG_AGO);
    expect((await look()).underWay).toMatchObject([{ shotId: 'a1', sending: 1 }]);
  });

  it('does not read a take that ended on an earlier day after a refusal', async () => {
    const address = { ...ADDRESS, shotId: 'a1' };
    await store.ledger.intend(address, intent());
    await store.ledger.beginSending(address, 1, sentAt(NOW, 1));
    await store.ledger.endSending(address, 1, { kind: 'refused', record: refused() });
    await store.ledger.beginSending(address, 2, sentAt(NOW, 1));
    await store.ledger.endSending(address, 2, { kind: 'accepted', record: { taskId: 'task-of-a1', at: NOW } });
    await ends(address, 7, LONG_AGO);
    expect(await store.ledger.mayBeOpenOrSettledOn(address, NOW.slice(0, 10))).toBe(false);
  });

  it('finds tasks that may be at the gateway even if the record of their sending is lost', async () => {
    const { shotId } = await take('a1');
    await rm(join(store.folder, 'ledger/film', shotId, '1/sent-1.json'));
    expect((await look()).underWay).toMatchObject([{ shotId, sending: 1 }]);
  });

  it('counts a task without a reported charge by its price', async () => {
    await ends(await take('a1'), null);
    expect((await look()).spent.byModel).toEqual({ 'beta-2.5': 10 });
  });

  it.each<[string, (folder: string) => Promise<void>]>([
    ['lost its intent', (folder) => rm(join(folder, 'intent.json'))],
    ['has an end that was cut short', (folder) => truncate(join(folder, 'settled.json'), 5)],
    ['has an end that says nothing', (folder) => writeFile(join(folder, 'settled.json'), '{}')],
  ])('leaves out a take that %s, and says so', async (_what, harm) => {
    await take('a1');
    await ends(await take('b2'), 7);
    await harm(join(store.folder, 'ledger/film/b2/1'));
    const found = await look();
    expect(found.underWay.map(({ shotId }) => shotId)).toEqual(['a1']);
    expect(found.unreadable).toEqual(['take 1 of film/b2']);
    expect(found.spent.byModel).toEqual({});
  });
});
