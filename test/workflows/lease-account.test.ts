import fc from 'fast-check';
import { type HeldLease, type Survey } from '../../contracts/arbiter';
import { packed, unpacked } from '../../workflows/arbiter-state';
import { LeaseAccount } from '../../workflows/lease-account';
import { type Waiting } from '../../workflows/lease-queue';

const NOON = Date.parse('2026-03-01T12:00:00Z');

function wish(name: string, changes: Partial<Waiting> = {}): Waiting {
  return {
    takeKey: name,
    sending: 1,
    productionId: 'film',
    shotId: name,
    take: 1,
    model: 'm',
    kind: 'k',
    units: 1,
    quoted: 10,
    group: 'film',
    priority: 'normal',
    deadlineSeconds: 900,
    holder: `shot/store/film/${name}`,
    sinceMs: NOON,
    ...changes,
  };
}
const NOTHING: Survey = { epoch: 1, limits: { account: {}, models: {} }, force: 'f', ended: [], unsent: [] };

function accountWith(account: Survey['limits']['account'], models: Survey['limits']['models'] = {}): LeaseAccount {
  const one = new LeaseAccount(null);
  one.survey({ ...NOTHING, limits: { account, models } }, NOON, true);
  return one;
}
const granted = (account: LeaseAccount, nowMs = NOON): string[] =>
  account.grant(nowMs).map(({ lease }) => lease.takeKey);
const ended = (takeKey: string, credits: number | null = 10, sending = 1) =>
  ({ takeKey, sending, how: 'ended', credits }) as const;

describe('the leases of an account', () => {
  it('grants as many as may be in flight, and the next one when a task has ended', () => {
    const account = accountWith({ inFlight: 2 });
    for (const name of ['a', 'b', 'c', 'd']) account.ask(wish(name));
    expect(granted(account)).toEqual(['a', 'b']);
    account.end(ended('a'));
    account.end(ended('a'));
    expect(granted(account)).toEqual(['c']);
  });

  it('grants one take and sending once, however often it is asked for', () => {
    const account = accountWith({ inFlight: 5 });
    account.ask(wish('a'));
    account.ask(wish('a'));
    expect(granted(account)).toEqual(['a']);
    account.ask(wish('a'));
    expect(granted(account)).toEqual([]);
    expect(account.again(wish('a'), NOON + 1_000)?.useByMs).toBe(NOON + 121_000);
    expect(account.held()).toHaveLength(1);
  });

  it('has urgent ones go first, also those whose time has come, and the productions of a priority in turn', () => {
    const account = accountWith({ inFlight: 1 });
    const soon = new Date(NOON + 60_000).toISOString();
    for (const name of ['a1', 'a2', 'a3']) account.ask(wish(name, { group: 'a' }));
    account.ask(wish('b1', { group: 'b', sinceMs: NOON + 1 }));
    account.ask(wish('late', { group: 'c', priority: 'batch', urgentFrom: soon }));
    account.ask(wish('row', { group: 'd', priority: 'batch' }));
    account.ask(wish('now', { group: 'e', priority: 'urgent' }));
    const order = account.view(NOON).waiting.map(({ shot }) => shot);
    expect(order).toEqual(['now', 'a1', 'b1', 'a2', 'a3', 'late', 'row']);
    expect(
      account
        .view(NOON + 60_000)
        .waiting.map(({ shot }) => shot)
        .slice(0, 2),
    ).toEqual(['late', 'now']);
    const went: string[] = [];
    for (let next = granted(account); next.length > 0; next = granted(account)) {
      went.push(...next);
      for (const name of next) account.end(ended(name));
    }
    expect(went).toEqual(order);
  });

  it('lets a small production have its turns beside a large one that had many', () => {
    const account = accountWith({ inFlight: 1 });
    for (let n = 0; n < 40; n += 1) account.ask(wish(`large-${n}`, { group: 'large' }));
    for (let n = 0; n < 20; n += 1) account.end(ended(granted(account)[0] ?? ''));
    for (let n = 0; n < 3; n += 1) account.ask(wish(`small-${n}`, { group: 'small', sinceMs: NOON + 5 }));
    const next = account
      .view(NOON)
      .waiting.slice(0, 6)
      .map(({ group }) => group);
    expect(next.filter((group) => group === 'small')).toHaveLength(3);
  });

  it('has others pass what its own model holds up', () => {
    const account = accountWith({ inFlight: 3 }, { slow: { inFlight: 1 } });
    for (const name of ['a', 'b']) account.ask(wish(name, { model: 'slow' }));
    account.ask(wish('c'));
    expect(granted(account)).toEqual(['a', 'c']);
    expect(account.view(NOON).waiting[0]?.waitsFor).toBe('1 tasks of slow are in flight, of at most 1');
  });

  it('keeps what an unclear sending has, and ends what was refused, when the take asks for the next one', () => {
    const account = accountWith({ inFlight: 2 });
    account.ask(wish('a'));
    granted(account);
    account.keepOnly('a', [1, 2]);
    account.ask(wish('a', { sending: 2 }));
    expect(granted(account)).toEqual(['a']);
    account.end(ended('a', 10, 2));
    account.end(ended('a', 10, 2));
    expect(account.held()).toMatchObject([{ sending: 1 }]);
    account.keepOnly('a', [3]);
    expect(account.held()).toEqual([]);
  });

  it('lets a day be charged no more than it allows, and goes on at midnight', () => {
    const account = accountWith({ creditsPerDay: 25 });
    for (const name of ['a', 'b', 'c']) account.ask(wish(name));
    expect(granted(account)).toEqual(['a', 'b']);
    expect(account.wakeAtMs(NOON)).toBe(Date.parse('2026-03-02T00:00:00Z'));
    expect(account.view(NOON).waiting[0]?.waitsFor).toBe('it needs 10 credits, and 5 of 25 are left today');
  });

  it('lets one of an unknown price go with all that is left, and prices the others by its charge', () => {
    const account = accountWith({ creditsPerDay: 1_000 });
    for (const name of ['a', 'b', 'c']) account.ask(wish(name, { quoted: null }));
    expect(granted(account)).toEqual(['a']);
    account.end(ended('a', 4));
    expect(granted(account)).toEqual(['b', 'c']);
  });

  it('takes over what the store knows: what has ended, what was never sent, what nobody had asked for', () => {
    const account = accountWith({ inFlight: 9 });
    for (const name of ['over', 'unsent', 'sent']) account.ask(wish(name));
    granted(account);
    const found = (name: string): HeldLease => ({ ...account.held()[0]!, takeKey: name, useByMs: null });
    const survey = {
      ...NOTHING,
      ended: [ended('over')],
      unsent: [{ takeKey: 'unsent', sending: 1 }],
      underWay: [found('sent'), found('unknown')],
      spent: { day: '2026-03-01', byModel: { m: 7 } },
    };
    account.survey(survey, NOON, false);
    const held = (): string[] =>
      account
        .held()
        .map(({ takeKey }) => takeKey)
        .toSorted();
    expect(held()).toEqual(['sent', 'unknown', 'unsent']);
    expect(account.view(NOON).spentToday).toBe(7);
    account.survey({ ...NOTHING, unsent: survey.unsent }, NOON + 60_000, false);
    expect(held()).toContain('unsent');
    account.survey({ ...NOTHING, unsent: survey.unsent }, NOON + 160_000, false);
    expect(held()).toEqual(['sent', 'unknown']);
  });

  it('is the same after it was handed to the next run', () => {
    const account = accountWith({ inFlight: 2, perMinute: 5, creditsPerDay: 90 }, { m: { inFlight: 7 } });
    for (const name of ['a', 'b', 'c', 'd']) account.ask(wish(name, { urgentFrom: new Date(NOON).toISOString() }));
    account.ask(wish('e', { quoted: null, group: 'other', holder: 'row/of/another/kind' }));
    granted(account);
    account.end(ended('a'));
    const state = packed(account.state(NOON, 100), { epoch: 3, forces: ['f'] });
    const next = new LeaseAccount(unpacked(state!));
    expect(next.state(NOON, 100)).toEqual(account.state(NOON, 100));
    expect(next.grant(NOON)).toEqual(account.grant(NOON));
  });

  it('hands over a thousand that wait, and five hundred in flight, in less than a payload may hold', () => {
    const account = accountWith({ inFlight: 500 });
    for (let n = 0; n < 2_000; n += 1) {
      const takeKey = n.toString(16).padStart(64, '0');
      const shotId = `row-${n}-of-the-spring-catalogue`;
      account.ask(wish(takeKey, { shotId, holder: `shot/0123456789ab/film/${shotId}`, sinceMs: NOON + n }));
    }
    expect(granted(account)).toHaveLength(500);
    const size = JSON.stringify(packed(account.state(NOON, 1_000), { epoch: 1, forces: [] })).length;
    expect(size).toBeLessThan(256 * 1024);
  });

  it('has never more in flight than allowed, and forgets nobody, whatever comes in which order', () => {
    const event = fc.tuple(
      fc.constantFrom('ask', 'ask', 'ask', 'end', 'end', 'repeat', 'throttle', 'survey'),
      fc.nat(30),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(event, { maxLength: 150 }), (inFlight, events) => {
        const account = accountWith({ inFlight });
        const wanted = new Set<string>();
        const over = new Set<string>();
        let nowMs = NOON;
        const step = (what: string, pick: number): void => {
          nowMs += 1_000;
          const name = `t${pick}`;
          const held = account.held();
          if (what === 'ask' && !over.has(name)) {
            wanted.add(name);
            account.ask(wish(name, { group: `g${pick % 3}` }));
          }
          const one = held[pick % Math.max(1, held.length)];
          if (what === 'end' && one !== undefined) {
            over.add(one.takeKey);
            account.end(ended(one.takeKey));
          }
          if (what === 'repeat') for (const takeKey of over) account.end(ended(takeKey));
          if (what === 'throttle') account.throttled(nowMs, null);
          if (what === 'survey')
            account.survey({ ...NOTHING, limits: { account: { inFlight }, models: {} } }, nowMs, false);
          account.grant(nowMs);
          expect(account.held().length).toBeLessThanOrEqual(inFlight);
        };
        for (const [what, pick] of events) step(what, pick);
        for (let rounds = 0; rounds < 100; rounds += 1) {
          nowMs += 100_000;
          account.grant(nowMs);
          for (const { takeKey } of account.held()) {
            over.add(takeKey);
            account.end(ended(takeKey));
          }
        }
        expect([...over].toSorted()).toEqual([...wanted].toSorted());
      }),
      { numRuns: 200 },
    );
  });
});
