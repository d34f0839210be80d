import { temporaryFolder } from '../support/temporary-folder';
import { dailies } from './command';

describe('dailies limits', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  const limits = (...args: readonly string[]) => dailies(['limits', ...args], { folder });
  async function json(...args: readonly string[]): Promise<unknown> {
    return JSON.parse((await limits(...args, '--json')).stdout) as unknown;
  }
  const NOTHING_RUNS = { learnedInFlight: null, spentToday: null };

  it('are kept in the store, for the account and for a model, until they are removed', async () => {
    expect(await json()).toEqual({ account: {}, models: {}, ...NOTHING_RUNS });
    await limits('--in-flight', '8', '--per-minute', '60', '--per-second', '0.5');
    await limits('--model', 'beta-video', '--credits-per-day', '200');
    const account = { inFlight: 8, perMinute: 60, perSecond: 0.5 };
    const models = { 'beta-2.5': { creditsPerDay: 200 } };
    expect(await json()).toEqual({ account, models, ...NOTHING_RUNS });
    expect((await limits()).stdout).toContain('at most 8 in flight, 0.5 a second, 60 a minute');
    expect(await json('--in-flight', 'none')).toMatchObject({ account: { perMinute: 60, perSecond: 0.5 }, models });
    expect(await json('--model', 'beta-2.5', '--credits-per-day', 'none')).toMatchObject({ models: {} });
  });

  it('can be set for any model id, with a warning if it is unknown', async () => {
    const { exitCode, stderr } = await limits('--model', 'beta-vido', '--credits-per-day', '200');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Dailies does not know the model beta-vido');
    expect(stderr).toContain('Did you mean "beta-video"');
    expect((await limits('--model', 'beta-video', '--credits-per-day', '200')).stderr).toBe('');
    for (const model of ['beta-vido', 'beta-video']) await limits('--model', model, '--credits-per-day', 'none');
  });

  it.each([
    ['--in-flight', '0', 'It must be 1 or more. To remove the limit, give the word none'],
    ['--per-second', '0', 'It must be more than 0. To remove the limit, give the word none'],
    ['--credits-per-day', 'much', 'It must be a number, 0 or more. To remove the limit, give the word none'],
  ])('refuse %s %s, and change nothing', async (flag, value, message) => {
    const before = await json();
    const { exitCode, stderr } = await limits(flag, value);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(await json()).toEqual(before);
  });

  it('does not claim that nothing waits while no worker runs', async () => {
    const { stdout, exitCode } = await dailies(['queue'], { folder });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('not known which takes wait')]);
    expect(stdout).not.toContain('Nothing waits');
  });

  it('show an empty queue without a worker', async () => {
    const { stdout, exitCode } = await dailies(['queue', '--json'], { folder });
    expect(exitCode).toBe(0);
    const nothing = { inFlight: 0, inFlightByModel: {}, closedUntil: null, learnedInFlight: null, waiting: [] };
    const known = { isLearning: false, asking: 0, unreadable: [], trouble: null };
    expect(JSON.parse(stdout)).toEqual({ hasWorker: false, ...nothing, ...known });
  });
});
