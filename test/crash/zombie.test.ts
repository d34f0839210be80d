import { type StorePoint } from '../../drill/fail-points';
import { betaShot, film } from '../support/rig';
import { until } from '../support/until';
import { startStrikes, type Strikes } from './strikes';

/** Each test stops a real worker process at one named place, lets another take over, and wakes the first one up. */

/** Each test waits for heartbeats that do not come and for a worker to start: long, where the machine is busy. */
jest.setTimeout(300_000);

let strikes: Strikes;

beforeAll(async () => {
  strikes = await startStrikes();
});

afterEach(() => strikes.endWorkers());

afterAll(() => strikes.close());

describe('a worker that stalls and wakes up', () => {
  it.each<StorePoint>(['intent-durable', 'before-sent'])(
    'stopped at %s: does not send when it goes on, since another one has sent',
    async (point) => {
      const production = film(point, [betaShot('a')]);
      const zombie = await strikes.struckAt(point, production, 'stop');
      await strikes.another();
      await until(async () => (await strikes.accepted(production)).length === 1);
      zombie.signal('SIGCONT');
      await strikes.completed(production);
      // It leaves in good order, and so after the attempt in which it woke up.
      zombie.signal('SIGTERM');
      expect(await zombie.ended).toBe(0);
      expect(await strikes.accepted(production)).toHaveLength(1);
      expect((await strikes.takes(production)).map(({ sendings }) => sendings.length)).toEqual([1]);
    },
  );

  it('stopped with the right to send: is taken for lost, and does not send when it goes on', async () => {
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
