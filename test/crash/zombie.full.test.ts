import { type FrozenProduction } from '../../contracts/render/frozen';
import { type StorePoint } from '../../drill/fail-points';
import { betaShot, film } from '../support/rig';
import { until } from '../support/until';
import { type WorkerProcess } from '../../drill/worker-process';
import { startStrikes, type Strikes } from './strikes';

/** Each test stops a real worker process at one named point, lets another take over, and wakes the first one up. */

let strikes: Strikes;

beforeAll(async () => {
  strikes = await startStrikes();
});

afterEach(() => strikes.leaveOne());

afterAll(() => strikes.close());

describe('a worker that stalls and wakes up', () => {
  it.each<StorePoint>(['intent-durable', 'before-sent'])(
    'stopped at %s: does not send when it continues, since another one has sent',
    async (point) => {
      const production = film(point, [betaShot('a')]);
      const zombie = await strikes.struckAt(point, production, 'stop');
      await strikes.another();
      await until(async () => (await strikes.accepted(production)).length === 1);
      zombie.signal('SIGCONT');
      await strikes.completed(production);
      // It shuts down cleanly, that is, after the attempt in which it woke up.
      zombie.signal('SIGTERM');
      expect(await zombie.ended).toBe(0);
      expect(await strikes.accepted(production)).toHaveLength(1);
      expect((await strikes.takes(production)).map(({ sendings }) => sendings.length)).toEqual([1]);
    },
  );

  it('stopped right before it sends: does not send when it continues, since its shot was cancelled meanwhile', async () => {
    const production = film('cancelled', [betaShot('a')]);
    const zombie = await strikes.struckAt('before-limits', production, 'stop');
    await strikes.pause(production);
    await strikes.another();
    expect(await strikes.cancelled(production)).toMatchObject({ shots: [{ state: 'cancelled' }] });
    zombie.signal('SIGCONT');
    zombie.signal('SIGTERM');
    expect(await zombie.ended).toBe(0);
    expect(await strikes.accepted(production)).toHaveLength(0);
    const [take] = await strikes.takes(production);
    expect(take?.sendings).toMatchObject([
      { refused: { again: true, reason: expect.stringContaining('nothing was sent') } },
    ]);
  });

  it('stopped with a whole download: wakes up to find it stored by another one, and leaves one asset', async () => {
    const production = film('whole-download', [betaShot('a')]);
    const zombie = await strikes.struckAt('before-commit', production, 'stop');
    await strikes.another();
    await until(async () => (await strikes.takes(production))[0]?.output);
    zombie.signal('SIGCONT');
    await expectStoredOnce(production, zombie);
  });

  it('stopped in the middle of a download: continues beside another one, and both leave one asset', async () => {
    const production = film('half-download', [betaShot('a')]);
    strikes.faults.inject({ kind: 'file-slow', count: 2, seconds: 12 });
    const zombie = await strikes.oneWorker();
    await strikes.start(production);
    await until(() => downloads() === 1);
    strikes.stall(zombie);
    await strikes.another();
    await until(() => downloads() === 2);
    zombie.signal('SIGCONT');
    await expectStoredOnce(production, zombie);
  });

  /** Downloads that have begun and are slow. */
  function downloads(): number | undefined {
    return strikes.faults.struck()['file-slow'];
  }

  /** The zombie shuts down cleanly, that is, after the attempt in which it woke up. */
  async function expectStoredOnce(production: FrozenProduction, zombie: WorkerProcess): Promise<void> {
    await strikes.completed(production);
    zombie.signal('SIGTERM');
    expect(await zombie.ended).toBe(0);
    expect(await strikes.parts()).toEqual([]);
    expect(await strikes.accepted(production)).toHaveLength(1);
  }

  it('stopped with the right to send: is presumed lost, and does not send when it continues', async () => {
    const production = film('sent-durable', [betaShot('a')]);
    const zombie = await strikes.struckAt('sent-durable', production, 'stop');
    await strikes.another();
    await until(async () => (await strikes.takes(production))[0]?.sendings[0]?.unclear !== undefined);
    await strikes.parkedAsUnclear(production);
    zombie.signal('SIGCONT');
    await until(async () => (await strikes.takes(production))[0]?.sendings[0]?.refused !== undefined);
    zombie.signal('SIGTERM');
    expect(await zombie.ended).toBe(0);
    expect(await strikes.accepted(production)).toHaveLength(0);
    await strikes.decide(production, { kind: 'resubmit' });
    await strikes.completed(production);
    expect(await strikes.accepted(production)).toHaveLength(1);
    expect((await strikes.takes(production)).map(({ sendings }) => sendings.length)).toEqual([2]);
  });
});
