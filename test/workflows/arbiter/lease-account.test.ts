import fc from 'fast-check';
import { type HeldLease, type Survey } from '../../../contracts/gateway/arbiter';
import { packed, unpacked } from '../../../workflows/arbiter/arbiter-state';
import { LeaseAccount } from '../../../workflows/arbiter/lease-account';
import { LeaseReconciler } from '../../../workflows/arbiter/reconcile-leases';
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
  one.applySurvey({ ...NOTHING, limits: { account, models } }, [], true);
  return one;
}
const granted = (account: LeaseAccount, nowMs = NOON): string[] =>
  account.grant(nowMs, MOST).map(({ lease }) => lease.takeKey);
const ended = (takeKey: string, credits: number | null = 10, sending = 1) =>
  ({ takeKey, sending, how: 'ended', credits }) as const;

/** Days of charges follow the workflow's clock. */
beforeEach(() => {
  jest.spyOn(Date, 'now').mockReturnValue(NOON);
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('the leases of an account', () => {
  it('grants as many leases as the limit allows, and the next one when a task has ended', () => {
    const account = accountWith({ inFlight: 2 });
    for (const name of ['a', 'b', 'c', 'd']) account.ask(wish(name));
    expect(granted(account)).toEqual(['a', 'b']);
    account.end(ended('a'));
    account.end(ended('a'));
    expect(granted(account)).toEqual(['c']);
  });

  it('counts an unclear task against the set limits, but not against the limit learned from throttling', () => {
    const unclear = { takeKey: 'a', sending: 1 };
    let learned = accountWith({});
    learned.throttled(NOON, 0);
    learned.ask(wish('a'));
    expect(granted(learned)).toEqual(['a']);
    // From now on it is known for a while that more than one task was too many.
    learned.throttled(NOON, 0);
    for (const name of ['b', 'c', 'd']) learned.ask(wish(name));
    expect(granted(learned)).toEqual([]);
    learned.unclear(unclear);
    learned.unclear(unclear);
    // It must still be known after the arbiter has continued as new.
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

  it('grants each sending of a take once, however often it is requested', () => {
    const account = accountWith({ inFlight: 5 });
    account.ask(wish('a'));
    account.ask(wish('a'));
    expect(granted(account)).toEqual(['a']);
    expect(account.renewIfHeld(wish('a'), NOON + 1_000)?.useByMs).toBe(NOON + 121_000);
    expect(account.held()).toHaveLength(1);
  });

  it('grants urgent tasks first, including those whose urgent time has come, and takes productions of one priority in turn', () => {
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

  it('gives a small production its turns although a large one waits with many tasks', () => {
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

  it("lets other tasks pass one that waits for its model's limit", () => {
    const account = accountWith({ inFlight: 3 }, { slow: { inFlight: 1 } });
    for (const name of ['a', 'b']) account.ask(wish(name, { model: 'slow' }));
    account.ask(wish('c'));
    expect(granted(account)).toEqual(['a', 'c']);
    expect(account.view(NOON).waiting[0]?.waitsFor).toBe('1 task of slow is in flight, of at most 1');
  });

  it('keeps the lease of an unclear sending, and ends that of a refused one, when the take asks for the next sending', () => {
    const account = accountWith({ inFlight: 2 });
    account.ask(wish('a'));
    granted(account);
    account.endEarlierSendings({ takeKey: 'a', sending: 2 }, [1]);
    account.ask(wish('a', { sending: 2 }));
    expect(granted(account)).toEqual(['a']);
    account.end(ended('a', 10, 2));
    account.end(ended('a', 10, 2));
    expect(account.held()).toMatchObject([{ sending: 1 }]);
    account.endEarlierSendings({ takeKey: 'a', sending: 3 }, []);
    expect(account.held()).toEqual([]);
  });

  it('keeps the charges of a day within the limit, and continues at midnight', () => {
    const account = accountWith({ creditsPerDay: 25 });
    for (const name of ['a', 'b', 'c']) account.ask(wish(name));
    expect(granted(account)).toEqual(['a', 'b']);
    expect(account.wakeAtMs(NOON)).toBe(Date.parse('2026-03-02T00:00:00Z'));
    expect(account.view(NOON).waiting[0]?.waitsFor).toBe('it needs 10 credits, and 5 of 25 are left today');
  });

  it('reserves all that is left for one task of unknown price, and prices the others by its charge', () => {
    const account = accountWith({ creditsPerDay: 1_000 });
    for (const name of ['a', 'b', 'c']) account.ask(wish(name, { quoted: null }));
    expect(granted(account)).toEqual(['a']);
    account.end(ended('a', 4));
    expect(granted(account)).toEqual(['b', 'c']);
  });

  it('adopts what the survey of the store found: ended, unsent and unknown leases', () => {
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
    account.applySurvey(survey, account.held(), false);
    const held = (): string[] =>
      account
        .held()
        .map(({ takeKey }) => takeKey)
        .toSorted();
    expect(held()).toEqual(['sent', 'unknown', 'unsent']);
    // The sum did not include the task that the survey ended.
    expect(account.view(NOON).spentToday).toBe(17);
    account.applySurvey({ ...NOTHING, unsent: survey.unsent, asOfMs: NOON + 60_000 }, account.held(), false);
    expect(held()).toContain('unsent');
    account.applySurvey({ ...NOTHING, unsent: survey.unsent, asOfMs: NOON + 160_000 }, account.held(), false);
    expect(held()).toEqual(['sent', 'unknown']);
  });

  it('is unchanged in the next run of the workflow', () => {
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

  it('hands over a thousand waiting and five hundred held leases in less than a payload may hold', () => {
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

  it('keeps the lease of a task that was sent after the survey read the ledger, however late the survey arrives', () => {
    const account = accountWith({ inFlight: 1 });
    for (const name of ['a', 'b']) account.ask(wish(name));
    granted(account);
    const asked = account.held();
    const unsent = [{ takeKey: 'a', sending: 1 }];
    account.applySurvey({ ...NOTHING, ...ONE, unsent, asOfMs: NOON + 1_000 }, asked, false);
    expect(granted(account, NOON + 3_600_000)).toEqual([]);
    account.applySurvey({ ...NOTHING, ...ONE, unsent, asOfMs: NOON + 151_000 }, asked, false);
    expect(granted(account, NOON + 3_600_000)).toEqual(['b']);
  });

  it('frees an unused lease by the next survey, and not by one that began earlier', () => {
    const account = accountWith({ inFlight: 1 });
    for (const name of ['a', 'b']) account.ask(wish(name));
    granted(account);
    const before = account.held();
    const unsent = [{ takeKey: 'a', sending: 1 }];
    expect(account.markGivenUp({ takeKey: 'a', sending: 1 })).toBe(true);
    const after = account.held();
    account.applySurvey({ ...NOTHING, ...ONE, unsent }, before, false);
    expect(granted(account)).toEqual([]);
    // It is requested again before the survey returns.
    account.renewIfHeld(wish('a'), NOON + 5);
    account.applySurvey({ ...NOTHING, ...ONE, unsent }, after, false);
    expect(granted(account)).toEqual([]);
    account.markGivenUp({ takeKey: 'a', sending: 1 });
    account.applySurvey({ ...NOTHING, ...ONE, unsent }, account.held(), false);
    expect(granted(account)).toEqual(['b']);
  });

  it('ignores a stale request, which arrives when the take already has a later sending', () => {
    const account = accountWith({ inFlight: 2 });
    account.ask(wish('a', { sending: 2 }));
    expect(account.isStale(wish('a'))).toBe(true);
    granted(account);
    account.endEarlierSendings(wish('a'), []);
    expect(account.held()).toMatchObject([{ sending: 2 }]);
    expect(account.isStale(wish('a'))).toBe(true);
    expect(account.isStale(wish('a', { sending: 3 }))).toBe(false);
    expect(account.isStale(wish('b'))).toBe(false);
  });

  it('drops a waiting request when the take asks for a later sending', () => {
    const account = accountWith({ inFlight: 1 });
    for (const name of ['a', 'b']) account.ask(wish(name));
    granted(account);
    account.endEarlierSendings(wish('b', { sending: 2 }), []);
    account.ask(wish('b', { sending: 2 }));
    expect(account.view(NOON).waiting).toHaveLength(1);
  });

  it('gives back the place in the rate of a task that was never sent', () => {
    const account = accountWith({ perMinute: 1 });
    for (const name of ['a', 'b']) account.ask(wish(name));
    expect(granted(account)).toEqual(['a']);
    expect(granted(account, NOON + 1)).toEqual([]);
    account.end({ takeKey: 'a', sending: 1, how: 'withdrawn', credits: 0 });
    expect(granted(account, NOON + 1)).toEqual(['b']);
  });

  it('hands over waiting requests, rates and unsent leases if more is in flight than fits', () => {
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

  it('hands over leases of unreadable takes, which a survey cannot find, and no mark of a lease that it leaves out', () => {
    const account = accountWith({});
    for (let n = 0; n < 600; n += 1) account.ask(wish(`old-${n}`));
    while (granted(account).length > 0);
    for (const takeKey of ['old-0', 'old-1', 'old-2']) account.unclear({ takeKey, sending: 1 });
    const unreadable = { unreadable: ['take 1 of film/old-1'], unreadableLeases: ['old-1/1'] };
    const later = NOON + 3_600_000;
    const state = packed(account.state(later, 1_000), { epoch: 1, forces: [], ...unreadable, nowMs: later });
    const next = new LeaseAccount(unpacked(state));
    expect(next.held().map(({ takeKey }) => takeKey)).toEqual(['old-1']);
    expect(next.state(later, 1_000).unclear).toEqual(['old-1/1']);
    const reconciler = new LeaseReconciler(next, state, () => undefined);
    expect(reconciler.view().unreadable).toEqual(unreadable.unreadable);
    expect(reconciler.carried()).toMatchObject(unreadable);
  });

  it('counts a charge once that the ledger already counts, whatever is reported afterwards', () => {
    const account = accountWith({ creditsPerDay: 100 });
    account.ask(wish('a'));
    granted(account);
    const spent = { day: '2026-03-01', byModel: { m: 10 } };
    account.applySurvey({ ...NOTHING, spent, underWay: [], ended: [ended('a', 0)] }, account.held(), false);
    account.end(ended('a', 10));
    expect(account.view(NOON).spentToday).toBe(10);
  });

  /**
   * What the gateway has is kept by the test, not by the account: holders send by what they were given, later or never,
   * and looks at the ledger are as old as they may be.
   */
  it('never has more tasks at the gateway than allowed, and forgets no request, in any order of events', () => {
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
        /** By take: the sending that is due, and until when its holder may use the lease. */
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
          account.endEarlierSendings(wanted, []);
          const again = account.renewIfHeld(wanted, nowMs);
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
          // The task ends, and its end is not reported.
          if (what === 'lose' && sent !== undefined) {
            atGateway.delete(sent[0]);
            over.add(sent[0]);
          }
          if (what === 'repeat') for (const takeKey of over) account.end(ended(takeKey));
          if (what === 'late' && !account.isStale(asksFor(name, 1)) && (takes.get(name)?.sending ?? 0) > 1) {
            account.endEarlierSendings(asksFor(name, 1), []);
          }
          if (what === 'cancel' && holder !== undefined && lease !== undefined) {
            lease.useByMs = null;
            account.markGivenUp({ takeKey: holder, sending: lease.sending });
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
            account.applySurvey(look.found, look.asked, false);
            look = undefined;
          }
          if (what === 'wait') nowMs += 70_000;
          for (const {
            lease: { takeKey, useByMs },
          } of account.grant(nowMs, MOST)) {
            const take = takes.get(takeKey);
            if (take !== undefined && !over.has(takeKey)) take.useByMs = useByMs;
          }
          // A holder of a lease may send until the lease expires.
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
