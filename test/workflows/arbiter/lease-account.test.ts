import fc from 'fast-check';
import { type HeldLease, type Survey } from '../../../contracts/arbiter';
import { packed, unpacked } from '../../../workflows/arbiter/arbiter-state';
import { LeaseAccount } from '../../../workflows/arbiter/lease-account';
import { type Waiting } from '../../../workflows/arbiter/lease-queue';

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
const NOTHING: Survey = {
  ...{ epoch: 1, limits: { account: {}, models: {} }, force: 'f', asOfMs: NOON },
  ...{ unreadable: [], ended: [], unsent: [] },
};
const MOST = 100;
const ONE = { limits: { account: { inFlight: 1 }, models: {} } };

function accountWith(account: Survey['limits']['account'], models: Survey['limits']['models'] = {}): LeaseAccount {
  const one = new LeaseAccount(null);
  one.survey({ ...NOTHING, limits: { account, models } }, [], true);
  return one;
}
const granted = (account: LeaseAccount, nowMs = NOON): string[] =>
  account.grant(nowMs, MOST).map(({ lease }) => lease.takeKey);
const ended = (takeKey: string, credits: number | null = 10, sending = 1) =>
  ({ takeKey, sending, how: 'ended', credits }) as const;

/** The days of charges are those of the workflow's clock. */
beforeEach(() => {
  jest.spyOn(Date, 'now').mockReturnValue(NOON);
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('the leases of an account', () => {
  it('grants as many as may be in flight, and the next one when a task has ended', () => {
    const account = accountWith({ inFlight: 2 });
    for (const name of ['a', 'b', 'c', 'd']) account.ask(wish(name));
    expect(granted(account)).toEqual(['a', 'b']);
    account.end(ended('a'));
    account.end(ended('a'));
    expect(granted(account)).toEqual(['c']);
  });

  it('counts an unclear one by the limits of a person, and not by what throttling has taught', () => {
    const unclear = { takeKey: 'a', sending: 1 };
    let learned = accountWith({});
    learned.throttled(NOON, 0);
    learned.ask(wish('a'));
    expect(granted(learned)).toEqual(['a']);
    // That more than one was too many is known now for a while.
    learned.throttled(NOON, 0);
    for (const name of ['b', 'c', 'd']) learned.ask(wish(name));
    expect(granted(learned)).toEqual([]);
    learned.unclear(unclear);
    learned.unclear(unclear);
    // Over as many runs of the arbiter as there may be.
    learned = new LeaseAccount(learned.state(NOON, MOST));
    expect(granted(learned)).toEqual(['b']);
    learned.end(ended('a'));
    expect(granted(learned)).toEqual([]);

    const limited = accountWith({ inFlight: 1 });
    for (const name of ['a', 'b']) limited.ask(wish(name));
    expect(granted(limited)).toEqual(['a']);
    limited.unclear(unclear);
    expect(granted(limited)).toEqual([]);
  });

  it('grants one take and sending once, however often it is asked for', () => {
    const account = accountWith({ inFlight: 5 });
    account.ask(wish('a'));
    account.ask(wish('a'));
    expect(granted(account)).toEqual(['a']);
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
    account.goOn({ takeKey: 'a', sending: 2 }, [1]);
    account.ask(wish('a', { sending: 2 }));
    expect(granted(account)).toEqual(['a']);
    account.end(ended('a', 10, 2));
    account.end(ended('a', 10, 2));
    expect(account.held()).toMatchObject([{ sending: 1 }]);
    account.goOn({ takeKey: 'a', sending: 3 }, []);
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
    account.survey(survey, account.held(), false);
    const held = (): string[] =>
      account
        .held()
        .map(({ takeKey }) => takeKey)
        .toSorted();
    expect(held()).toEqual(['sent', 'unknown', 'unsent']);
    // What it ended was not in the sum yet.
    expect(account.view(NOON).spentToday).toBe(17);
    account.survey({ ...NOTHING, unsent: survey.unsent, asOfMs: NOON + 60_000 }, account.held(), false);
    expect(held()).toContain('unsent');
    account.survey({ ...NOTHING, unsent: survey.unsent, asOfMs: NOON + 160_000 }, account.held(), false);
    expect(held()).toEqual(['sent', 'unknown']);
  });

  it('is the same after it was handed to the next run', () => {
    const account = accountWith({ inFlight: 2, perMinute: 5, creditsPerDay: 90 }, { m: { inFlight: 7 } });
    for (const name of ['a', 'b', 'c', 'd']) account.ask(wish(name, { urgentFrom: new Date(NOON).toISOString() }));
    account.ask(wish('e', { quoted: null, group: 'other', holder: 'row/of/another/kind' }));
    granted(account);
    account.end(ended('a'));
    const state = packed(account.state(NOON, 100), { epoch: 3, forces: ['f'], nowMs: NOON });
    const next = new LeaseAccount(unpacked(state));
    expect(next.state(NOON, 100)).toEqual(account.state(NOON, 100));
    expect(next.grant(NOON, MOST)).toEqual(account.grant(NOON, MOST));
  });

  it('hands over a thousand that wait, and five hundred in flight, in less than a payload may hold', () => {
    const account = accountWith({ inFlight: 500 });
    for (let n = 0; n < 2_000; n += 1) {
      const takeKey = n.toString(16).padStart(64, '0');
      const shotId = `row-${n}-of-the-spring-catalogue`;
      account.ask(wish(takeKey, { shotId, holder: `shot/0123456789ab/film/${shotId}`, sinceMs: NOON + n }));
    }
    for (let round = 0; round < 5; round += 1) expect(granted(account)).toHaveLength(MOST);
    expect(granted(account)).toEqual([]);
    const size = JSON.stringify(packed(account.state(NOON, 1_000), { epoch: 1, forces: [], nowMs: NOON })).length;
    expect(size).toBeLessThan(256 * 1024);
  });

  it('keeps the place of one that was sent after it was looked for, however late it hears of the look', () => {
    const account = accountWith({ inFlight: 1 });
    for (const name of ['a', 'b']) account.ask(wish(name));
    granted(account);
    const asked = account.held();
    const unsent = [{ takeKey: 'a', sending: 1 }];
    account.survey({ ...NOTHING, ...ONE, unsent, asOfMs: NOON + 1_000 }, asked, false);
    expect(granted(account, NOON + 3_600_000)).toEqual([]);
    account.survey({ ...NOTHING, ...ONE, unsent, asOfMs: NOON + 151_000 }, asked, false);
    expect(granted(account, NOON + 3_600_000)).toEqual(['b']);
  });

  it('gives a place back that nobody uses any more by the next look, and not by one that was begun before', () => {
    const account = accountWith({ inFlight: 1 });
    for (const name of ['a', 'b']) account.ask(wish(name));
    granted(account);
    const before = account.held();
    const unsent = [{ takeKey: 'a', sending: 1 }];
    expect(account.doubt({ takeKey: 'a', sending: 1 })).toBe(true);
    const after = account.held();
    account.survey({ ...NOTHING, ...ONE, unsent }, before, false);
    expect(granted(account)).toEqual([]);
    // It is asked for once more before the look comes back.
    account.again(wish('a'), NOON + 5);
    account.survey({ ...NOTHING, ...ONE, unsent }, after, false);
    expect(granted(account)).toEqual([]);
    account.doubt({ takeKey: 'a', sending: 1 });
    account.survey({ ...NOTHING, ...ONE, unsent }, account.held(), false);
    expect(granted(account)).toEqual(['b']);
  });

  it('takes nothing back for what was asked long ago, and comes when the take has gone on', () => {
    const account = accountWith({ inFlight: 2 });
    account.ask(wish('a', { sending: 2 }));
    expect(account.isPast(wish('a'))).toBe(true);
    granted(account);
    account.goOn(wish('a'), []);
    expect(account.held()).toMatchObject([{ sending: 2 }]);
    expect(account.isPast(wish('a'))).toBe(true);
    expect(account.isPast(wish('a', { sending: 3 }))).toBe(false);
    expect(account.isPast(wish('b'))).toBe(false);
  });

  it('has nobody wait for an earlier sending of a take that asks for a later one', () => {
    const account = accountWith({ inFlight: 1 });
    for (const name of ['a', 'b']) account.ask(wish(name));
    granted(account);
    account.goOn(wish('b', { sending: 2 }), []);
    account.ask(wish('b', { sending: 2 }));
    expect(account.view(NOON).waiting).toHaveLength(1);
  });

  it('gives the place in a rate back with what was never sent', () => {
    const account = accountWith({ perMinute: 1 });
    for (const name of ['a', 'b']) account.ask(wish(name));
    expect(granted(account)).toEqual(['a']);
    expect(granted(account, NOON + 1)).toEqual([]);
    account.end({ takeKey: 'a', sending: 1, how: 'withdrawn', credits: 0 });
    expect(granted(account, NOON + 1)).toEqual(['b']);
  });

  it('hands over all that waits, the rates and what may yet be sent, where more is in flight than fits', () => {
    const account = accountWith({ perMinute: 700 });
    for (let n = 0; n < 600; n += 1) account.ask(wish(`old-${n}`));
    while (granted(account).length > 0);
    const later = NOON + 3_600_000;
    for (let n = 0; n < 20; n += 1) account.ask(wish(`w${n}`));
    for (const name of ['x', 'y']) account.ask(wish(name, { priority: 'urgent' }));
    account.grant(later, 2);
    account.throttled(later, 60_000);
    const state = packed(account.state(later, 1_000), { epoch: 1, forces: [], nowMs: later });
    expect(state.whole).toBe(true);
    const next = new LeaseAccount(unpacked(state));
    expect(next.held().map(({ takeKey }) => takeKey)).toEqual(['x', 'y']);
    expect(next.view(later).waiting).toHaveLength(20);
    expect(next.view(later).closedUntil).toBe(new Date(later + 60_000).toISOString());
    expect(next.view(later).learnedInFlight).toBe(account.view(later).learnedInFlight);
    expect(next.state(later, 1_000).pace).toEqual(account.state(later, 1_000).pace);
  });

  it('counts once what the ledger counts already, whatever it hears of it afterwards', () => {
    const account = accountWith({ creditsPerDay: 100 });
    account.ask(wish('a'));
    granted(account);
    const spent = { day: '2026-03-01', byModel: { m: 10 } };
    account.survey({ ...NOTHING, spent, underWay: [], ended: [ended('a', 0)] }, account.held(), false);
    account.end(ended('a', 10));
    expect(account.view(NOON).spentToday).toBe(10);
  });

  /**
   * What the gateway has is kept by the test, not by the account: holders send by what they were given, later or never,
   * and looks at the ledger are as old as they may be.
   */
  it('has never more at the gateway than allowed, and forgets nobody, whatever comes in which order', () => {
    const event = fc.tuple(
      fc.constantFrom(
        ...['ask', 'ask', 'ask', 'send', 'send', 'end', 'end', 'lose', 'repeat', 'late', 'cancel', 'throttle'],
        ...['begin look', 'end look', 'wait'],
      ),
      fc.nat(30),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(event, { maxLength: 200 }), (inFlight, events) => {
        const limits = { account: { inFlight }, models: {} };
        const account = accountWith(limits.account);
        let nowMs = NOON;
        /** By take: the sending that is due, and what its holder was given. */
        const takes = new Map<string, { sending: number; useByMs: number | null }>();
        const atGateway = new Map<string, number>();
        const over = new Set<string>();
        let look: { asked: readonly HeldLease[]; found: Survey } | undefined;
        const pickOf = <T>(list: readonly T[], pick: number): T | undefined => list[pick % Math.max(1, list.length)];
        const asksFor = (name: string, sending: number): Waiting =>
          wish(name, { sending, sinceMs: nowMs, group: `g${name.length}` });
        function ask(name: string): void {
          const take = takes.get(name) ?? { sending: 1, useByMs: null };
          takes.set(name, take);
          const wanted = asksFor(name, take.sending);
          account.goOn(wanted, []);
          const again = account.again(wanted, nowMs);
          if (again === undefined) account.ask(wanted);
          else take.useByMs = again.useByMs;
        }
        function ledger(): { asked: readonly HeldLease[]; found: Survey } {
          const asked = account.held();
          const unsent = asked.filter(
            ({ takeKey, sending }) => !over.has(takeKey) && atGateway.get(takeKey) !== sending,
          );
          const gone = asked
            .filter(({ takeKey }) => over.has(takeKey))
            .map(({ takeKey, sending }) => ended(takeKey, 10, sending));
          return { asked, found: { ...NOTHING, limits, asOfMs: nowMs, unsent, ended: gone } };
        }
        const step = (what: string, pick: number): void => {
          nowMs += 1_000;
          const name = `t${pick}`;
          if (what === 'ask' && !over.has(name) && !atGateway.has(name)) ask(name);
          const given = [...takes].filter(([, { useByMs }]) => useByMs !== null && nowMs <= useByMs);
          const [holder, lease] = pickOf(given, pick) ?? [];
          const sent = pickOf([...atGateway], pick);
          if (what === 'send' && holder !== undefined && lease !== undefined) {
            atGateway.set(holder, lease.sending);
            lease.useByMs = null;
          }
          if (what === 'end' && sent !== undefined) {
            atGateway.delete(sent[0]);
            over.add(sent[0]);
            account.end(ended(sent[0], 10, sent[1]));
          }
          // It ends, and nobody tells.
          if (what === 'lose' && sent !== undefined) {
            atGateway.delete(sent[0]);
            over.add(sent[0]);
          }
          if (what === 'repeat') for (const takeKey of over) account.end(ended(takeKey));
          if (what === 'late' && !account.isPast(asksFor(name, 1)) && (takes.get(name)?.sending ?? 0) > 1) {
            account.goOn(asksFor(name, 1), []);
          }
          if (what === 'cancel' && holder !== undefined && lease !== undefined) {
            lease.useByMs = null;
            account.doubt({ takeKey: holder, sending: lease.sending });
          }
          if (what === 'throttle' && sent !== undefined) {
            // The gateway refused it: its lease is over in the ledger, and the take asks for its next sending.
            const [takeKey, sending] = sent;
            atGateway.delete(takeKey);
            takes.set(takeKey, { sending: sending + 1, useByMs: null });
            ask(takeKey);
            account.throttled(nowMs, null);
          }
          if (what === 'begin look') look ??= ledger();
          if (what === 'end look' && look !== undefined) {
            account.survey(look.found, look.asked, false);
            look = undefined;
          }
          if (what === 'wait') nowMs += 70_000;
          for (const {
            lease: { takeKey, useByMs },
          } of account.grant(nowMs, MOST)) {
            const take = takes.get(takeKey);
            if (take !== undefined && !over.has(takeKey)) take.useByMs = useByMs;
          }
          // Whoever was given a lease may send now or until its time is over.
          const maySend = [...takes].filter(
            ([one, { useByMs }]) => useByMs !== null && nowMs <= useByMs && !atGateway.has(one) && !over.has(one),
          );
          expect(atGateway.size + maySend.length).toBeLessThanOrEqual(inFlight);
        };
        for (const [what, pick] of events) step(what, pick);
        for (let rounds = 0; rounds < 400 && over.size < takes.size; rounds += 1) {
          step('wait', 0);
          for (const [one] of takes) if (!over.has(one) && !atGateway.has(one)) ask(one);
          step('wait', 0);
          for (let n = 0; n < 6; n += 1) step('send', n);
          for (let n = 0; n < 6; n += 1) step('end', n);
          step('end look', 0);
          step('begin look', 0);
        }
        expect(over.size).toBe(takes.size);
      }),
      { numRuns: 200 },
    );
  });
});
