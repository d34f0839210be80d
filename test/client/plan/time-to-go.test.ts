import { type OpenShot, type OpenWork, timeToGo } from '../../../client/plan/time-to-go';

const MINUTE = 60_000;
const SURE = new Map([['beta', [MINUTE, MINUTE, MINUTE]]]);
const SPREAD = new Map([['beta', [4, 5, 6, 7, 8].map((minutes) => minutes * MINUTE)]]);

const shot = (id: string, changes: Partial<OpenShot> = {}): OpenShot => ({
  id,
  model: 'beta',
  after: [],
  tasks: [null],
  ...changes,
});

const work = (shots: readonly OpenShot[], changes: Partial<OpenWork> = {}): OpenWork => ({
  shots,
  maxInFlight: 16,
  limits: { account: {}, models: {} },
  recentMs: SURE,
  ...changes,
});

const exactly = (ms: number) => ({ lowMs: ms, medianMs: ms, highMs: ms });

describe('the time to go', () => {
  const chain = [shot('c', { after: ['b'] }), shot('a'), shot('b', { after: ['a'] })];
  const three = ['a', 'b', 'c'].map((id) => shot(id));

  it.each<[string, OpenWork, number]>([
    ['of one shot is what its model takes', work([shot('a')]), MINUTE],
    ['of a chain is that of its shots one after another, in whatever order they stand', work(chain), 3 * MINUTE],
    ['of shots side by side is that of one', work(three), MINUTE],
    ['is longer where only one at once may render', work(three, { maxInFlight: 1 }), 3 * MINUTE],
    ['is less by what a task has lasted', work([shot('a', { tasks: [20_000] })]), 40_000],
    [
      'of a chain goes on with the first of the takes side by side',
      work([shot('a', { tasks: [50_000, null] }), shot('b', { after: ['a'] })]),
      10_000 + MINUTE,
    ],
    ['has all takes side by side, though nothing starts on them', work([shot('a', { tasks: [50_000, null] })]), MINUTE],
    ["knows the account's limits", work(three, { limits: { account: { inFlight: 2 }, models: {} } }), 1.5 * MINUTE],
    [
      "knows the model's limits, and no other's",
      work(three, {
        limits: { account: {}, models: { beta: { perMinute: 1 }, other: { inFlight: 1, perMinute: 0.1 } } },
      }),
      3 * MINUTE,
    ],
    [
      'of a task that is older than any seen is what they differ by: nothing here',
      work([shot('a', { tasks: [2 * MINUTE] })]),
      0,
    ],
  ])('%s', (_, open, ms) => {
    expect(timeToGo(open)).toEqual(exactly(ms));
  });

  it.each<[string, OpenWork]>([
    ['where nothing is open', work([])],
    ['where nobody knows one of the models', work([shot('a'), shot('b', { model: 'new' })])],
  ])('is unknown %s', (_, open) => {
    expect(timeToGo(open)).toBeNull();
  });

  it('is as uncertain as its tasks were, and less so by the length of a chain', () => {
    const one = timeToGo(work([shot('a')], { recentMs: SPREAD }));
    expect(one).toEqual({ lowMs: 4 * MINUTE, medianMs: 6 * MINUTE, highMs: 8 * MINUTE });
    const ten = Array.from({ length: 10 }, (_, index) =>
      shot(`s${index}`, { after: index === 0 ? [] : [`s${index - 1}`] }),
    );
    const chained = timeToGo(work(ten, { recentMs: SPREAD }))!;
    expect(chained.medianMs / MINUTE).toBeGreaterThan(58);
    expect(chained.medianMs / MINUTE).toBeLessThan(62);
    // Ten times the spread of one would be 40 minutes.
    expect((chained.highMs - chained.lowMs) / MINUTE).toBeLessThan(16);
    expect((chained.highMs - chained.lowMs) / MINUTE).toBeGreaterThan(8);
  });

  it('of many shots side by side is that of the slowest', () => {
    const many = Array.from({ length: 16 }, (_, index) => shot(`s${index}`));
    expect(timeToGo(work(many, { recentMs: SPREAD }))!.medianMs).toBe(8 * MINUTE);
  });

  it('estimates a task that has lasted long by those that lasted longer', () => {
    const late = timeToGo(work([shot('a', { tasks: [7.5 * MINUTE] })], { recentMs: SPREAD }));
    expect(late).toEqual(exactly(MINUTE / 2));
    const latest = timeToGo(work([shot('a', { tasks: [9 * MINUTE] })], { recentMs: SPREAD }))!;
    expect(latest).toMatchObject({ lowMs: 0, highMs: 4 * MINUTE });
  });

  it('is the same for the same input, and fast for a thousand shots', () => {
    const thousand = Array.from({ length: 1_000 }, (_, index) =>
      shot(`s${index}`, { after: index % 10 === 0 ? [] : [`s${index - 1}`] }),
    );
    const open = work(thousand, { recentMs: SPREAD });
    expect(timeToGo(open)).toEqual(timeToGo(open));
  });
});
