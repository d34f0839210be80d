import { AdaptiveRateLimit } from '../../../workflows/arbiter/adaptive-rate-limit';

/** Simulates a gateway that accepts at most `bound` unfinished tasks, and an arbiter that always has tasks waiting. */
function play(
  pace: AdaptiveRateLimit,
  bound: number,
  submits: number,
): { refused: number; completed: number; rounds: number } {
  let nowMs = 1_000_000;
  let inFlight = 0;
  let [refused, completed, rounds] = [0, 0, 0];
  while (completed + inFlight + refused < submits) {
    rounds += 1;
    for (;;) {
      const most = pace.learnedInFlight() ?? 16;
      if (inFlight >= most || pace.closedUntilMs(nowMs) !== null) break;
      inFlight += 1;
      pace.granted(nowMs, { model: 'm', inFlight, isRated: false });
      if (inFlight > bound) {
        inFlight -= 1;
        refused += 1;
        pace.throttled(nowMs, inFlight, null);
      }
    }
    if (inFlight > 0) {
      inFlight -= 1;
      completed += 1;
      pace.ended();
    }
    nowMs += 1_100;
  }
  return { refused, completed, rounds };
}

describe('the pace of an arbiter', () => {
  it('learns the number in flight from the gateway, and seldom tries for more', () => {
    const pace = new AdaptiveRateLimit();
    play(pace, 5, 50);
    expect(pace.learnedInFlight()).toBe(5);
    const { refused, completed } = play(pace, 5, 2_000);
    expect(refused).toBeGreaterThan(0);
    expect(refused / (refused + completed)).toBeLessThan(0.02);
    // Each try that fails makes the next one rarer.
    expect(play(pace, 5, 6_000).refused).toBeLessThan(8);
  });

  it('rises when the gateway begins to accept more', () => {
    const pace = new AdaptiveRateLimit();
    play(pace, 3, 400);
    expect(pace.learnedInFlight()).toBe(3);
    play(pace, 6, 6_000);
    expect(pace.learnedInFlight()).toBeGreaterThanOrEqual(6);
  });

  it('falls with every refusal of a burst to the number that the gateway has accepted', () => {
    const pace = new AdaptiveRateLimit();
    for (let others = 15; others >= 5; others -= 1) pace.throttled(0, others, null);
    expect(pace.learnedInFlight()).toBe(5);
    pace.throttled(0, 0, null);
    expect(pace.learnedInFlight()).toBe(1);
  });

  it('tries one more when nothing was granted for long, since the ends of the held leases may never be reported', () => {
    const pace = new AdaptiveRateLimit();
    pace.throttled(0, 2, null);
    expect(pace.learnedUntilMs(1_000, 1)).toBeNull();
    expect(pace.learnedUntilMs(1_000, 2)).toBe(30_000);
    expect(pace.learnedUntilMs(30_000, 2)).toBeNull();
    pace.granted(30_000, { model: 'm', inFlight: 3, isRated: false });
    expect(pace.learnedInFlight()).toBe(3);
    pace.throttled(30_500, 2, null);
    expect(pace.learnedInFlight()).toBe(2);
    expect(pace.learnedUntilMs(60_500, 2)).toBe(90_500);
  });

  it('closes for as long as the gateway asks, or else for longer and longer until a task ends', () => {
    const pace = new AdaptiveRateLimit();
    pace.throttled(1_000, 5, 30_000);
    expect(pace.closedUntilMs(30_999)).toBe(31_000);
    expect(pace.closedUntilMs(31_000)).toBeNull();
    pace.throttled(40_000, 5, null);
    expect(pace.closedUntilMs(40_000)).toBe(42_000);
    pace.throttled(41_000, 5, null);
    expect(pace.closedUntilMs(41_000)).toBe(42_000);
    pace.ended();
    pace.throttled(50_000, 5, null);
    expect(pace.closedUntilMs(50_000)).toBe(51_000);
  });

  it('keeps the rates per minute and per second, of the account and of a model', () => {
    const pace = new AdaptiveRateLimit();
    const grant = (atMs: number, model: string): void => pace.granted(atMs, { model, inFlight: 1, isRated: true });
    grant(0, 'a');
    grant(1_000, 'b');
    expect(pace.waitUntilMs(1_000, { perMinute: 2 })).toBe(60_000);
    expect(pace.waitUntilMs(60_000, { perMinute: 2 })).toBeUndefined();
    expect(pace.waitUntilMs(1_000, { perMinute: 2 }, 'a')).toBeUndefined();
    expect(pace.waitUntilMs(1_000, { perSecond: 4 })).toBe(1_250);
    expect(pace.waitUntilMs(1_000, { perSecond: 4 }, 'a')).toBeUndefined();
    expect(pace.waitUntilMs(1_250, { perSecond: 4 })).toBeUndefined();
  });

  it('allows one more although more leases are held than learned, and returns to the learned number when throttled', () => {
    const pace = new AdaptiveRateLimit();
    pace.throttled(0, 3, null);
    const { raiseAfter } = pace.state();
    // By the ledger, far more tasks are in flight than the gateway accepted.
    expect(pace.learnedUntilMs(40_000, 11)).toBeNull();
    pace.granted(40_000, { model: 'm', inFlight: 12, isRated: false });
    expect(pace.learnedInFlight()).toBe(12);
    expect(pace.state().raiseAfter).toBeGreaterThanOrEqual(raiseAfter);
    pace.throttled(40_500, 11, null);
    expect(pace.learnedInFlight()).toBe(3);
  });

  it('does not raise the number sooner because of tries that are not answered yet', () => {
    const pace = new AdaptiveRateLimit();
    for (let n = 0; n < 4; n += 1) {
      pace.throttled(0, 2, null);
      pace.granted(0, { model: 'm', inFlight: 2, isRated: false });
    }
    const before = pace.state();
    pace.granted(100_000, { model: 'm', inFlight: 9, isRated: false });
    pace.granted(200_000, { model: 'm', inFlight: 9, isRated: false });
    expect(pace.state().raiseAfter).toBe(before.raiseAfter);
  });

  it('keeps a rate of one task in many minutes, whatever other models send meanwhile', () => {
    const pace = new AdaptiveRateLimit();
    pace.granted(0, { model: 'slow', inFlight: 1, isRated: true });
    for (let atMs = 1_000; atMs < 600_000; atMs += 1_000)
      pace.granted(atMs, { model: 'fast', inFlight: 1, isRated: true });
    expect(pace.waitUntilMs(600_000, { perSecond: 0.001 }, 'slow')).toBe(1_000_000);
    expect(pace.waitUntilMs(600_000, { perMinute: 1 }, 'slow')).toBeUndefined();
    expect(pace.state().granted.length).toBeLessThan(70);
  });

  it('grants another task in place of one that was granted and never sent', () => {
    const pace = new AdaptiveRateLimit();
    for (const model of ['a', 'b']) pace.granted(0, { model, inFlight: 1, isRated: true });
    expect(pace.waitUntilMs(1, { perMinute: 2 })).toBe(60_000);
    pace.ungranted(0, 'b');
    expect(pace.waitUntilMs(1, { perMinute: 2 })).toBeUndefined();
    expect(pace.waitUntilMs(1, { perMinute: 1 }, 'a')).toBe(60_000);
  });
});
