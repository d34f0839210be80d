import { type FailOrder, type StorePoint } from '../../drill/fail-points';
import { openWire, type Wire, type WirePoint } from '../../drill/wire';
import { startWorkerProcess, type WorkerProcess } from '../../drill/worker-process';
import { type Decision } from '../../contracts/decision';
import { type FrozenProduction } from '../../contracts/frozen';
import { type ShotStatus } from '../../contracts/status';
import { standing, type TakeHistory } from '../../store';
import { betaShot, film, type Rig, RIG_KEY, startRig } from '../support/rig';
import { until } from '../support/until';

/**
 * Each test strikes a real worker process at one named place, lets another one take over, and asks all three sides:
 * what the gateway accepted, what the ledger says, how the production stands.
 */

let rig: Rig;
let wire: Wire;
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  rig = await startRig({}, false);
  wire = await openWire(rig.sandbox.url);
});

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => end(worker)));
});

afterAll(async () => {
  await wire.close();
  await rig.close();
});

describe('a worker killed where it is known what the gateway has', () => {
  it.each<StorePoint>(['before-intent', 'intent-durable', 'before-sent', 'accepted-durable', 'before-commit'])(
    '%s: another one goes on, and one task is accepted',
    async (point) => {
      const production = oneShot(point);
      await struckAt(point, production);
      await another();
      await completed(production);
      expect(accepted(await takes(production))).toHaveLength(1);
      expect((await takes(production)).map(({ sendings }) => sendings.length)).toEqual([1]);
    },
  );

  it.each<WirePoint>(['after-answer', 'download-half'])(
    '%s: another one goes on, and one task is accepted',
    async (point) => {
      const production = oneShot(point);
      await struckOnWire(point, production);
      await another();
      await completed(production);
      expect(accepted(await takes(production))).toHaveLength(1);
    },
  );

  it('assembly-half: another one makes the film, and nothing is paid again', async () => {
    const production = film('assembly-half', [betaShot('a'), betaShot('b')]);
    await struckAt('assembly-half', production);
    await another();
    await completed(production);
    expect(accepted(await takes(production))).toHaveLength(2);
  });
});

describe('a worker killed where nobody can know what the gateway has', () => {
  it('sent-durable: the take is unclear, nothing was accepted, and it is sent again only on a decision', async () => {
    const production = oneShot('sent-durable');
    await struckAt('sent-durable', production);
    await another();
    await parkedAsUnclear(production);
    expect(accepted(await takes(production))).toHaveLength(0);
    await decide(production, { kind: 'resubmit' });
    await completed(production);
    expect(accepted(await takes(production))).toHaveLength(1);
  });

  it('bytes-half-sent: the take is unclear, nothing was accepted, and it is sent again only on a decision', async () => {
    const production = oneShot('bytes-half-sent');
    await struckOnWire('bytes-half-sent', production);
    await another();
    await parkedAsUnclear(production);
    expect(accepted(await takes(production))).toHaveLength(0);
    await decide(production, { kind: 'resubmit' });
    await completed(production);
    expect(accepted(await takes(production))).toHaveLength(1);
  });

  it('accepted-unread: the take is unclear, and adopting what the gateway has completes it with one charge', async () => {
    const production = oneShot('accepted-unread');
    await struckOnWire('accepted-unread', production);
    await another();
    await parkedAsUnclear(production);
    const [task] = accepted(await takes(production));
    await decide(production, { kind: 'adopt', taskId: task?.id ?? '' });
    await completed(production);
    expect(accepted(await takes(production))).toEqual([expect.objectContaining({ id: task?.id })]);
  });
});

describe('a worker that stalls and wakes up', () => {
  it.each<StorePoint>(['intent-durable', 'before-sent'])(
    'stopped at %s, while another one sends: does not send when it goes on',
    async (point) => {
      const production = oneShot(`stopped-${point}`);
      const zombie = await struckAt(point, production, 'stop');
      await another();
      await completed(production);
      zombie.signal('SIGCONT');
      // It leaves in good order only after the attempt that it woke up in has ended.
      zombie.signal('SIGTERM');
      expect(await zombie.ended).toBe(0);
      const histories = await takes(production);
      expect(accepted(histories)).toHaveLength(1);
      expect(histories.map(({ sendings }) => sendings.length)).toEqual([1]);
    },
  );

  it('stopped after it got the right to send: is held for lost, and what it sends in the end is adopted', async () => {
    const production = oneShot('stopped-sent-durable');
    const zombie = await struckAt('sent-durable', production, 'stop');
    await another();
    await parkedAsUnclear(production);
    zombie.signal('SIGCONT');
    await until(async () => accepted(await takes(production)).length === 1);
    const [task] = accepted(await takes(production));
    await until(async () => (await standings(production))[0]?.is !== 'unclear');
    await decide(production, { kind: 'adopt', taskId: task?.id ?? '' });
    await completed(production);
    expect(accepted(await takes(production))).toHaveLength(1);
  });
});

function oneShot(id: string): FrozenProduction {
  return film(id, [betaShot('a')]);
}

async function another(): Promise<WorkerProcess> {
  const worker = await startWorkerProcess({
    temporalAddress: rig.server.address,
    gatewayUrl: wire.url,
    gatewayKey: RIG_KEY,
    account: 'sandbox',
    storeFolder: rig.store.folder,
    pollFloorMs: 250,
  });
  workers.push(worker);
  return worker;
}

async function struckAt(
  point: StorePoint,
  production: FrozenProduction,
  action: FailOrder['action'] = 'kill',
): Promise<WorkerProcess> {
  const worker = await another();
  const reached = new Promise<FailOrder>((resolve) => worker.onReached(resolve));
  worker.arm({ point, count: 1, action });
  await rig.start(production);
  expect((await reached).point).toBe(point);
  if (action === 'kill') expect(await worker.ended).toBe('SIGKILL');
  return worker;
}

async function struckOnWire(point: WirePoint, production: FrozenProduction): Promise<void> {
  const worker = await another();
  wire.arm(point, () => {
    worker.signal('SIGKILL');
  });
  await rig.start(production);
  expect(await worker.ended).toBe('SIGKILL');
}

async function end(worker: WorkerProcess): Promise<void> {
  worker.signal('SIGKILL');
  await worker.ended;
}

async function takes({ id, shots }: FrozenProduction): Promise<readonly TakeHistory[]> {
  return (await Promise.all(shots.map((shot) => rig.store.ledger.takes(id, shot.id)))).flat();
}

async function standings(production: FrozenProduction) {
  return (await takes(production)).map(standing);
}

/** What the gateway accepted for these takes: it keeps the key under which each was sent. */
function accepted(histories: readonly TakeHistory[]) {
  const keys = histories.map(({ intent }) => intent.takeKey);
  return rig.sandbox.tasks().filter(({ idempotencyKey }) => idempotencyKey !== null && keys.includes(idempotencyKey));
}

async function completed(production: FrozenProduction): Promise<void> {
  expect(await rig.client.ended(production.id)).toMatchObject({ state: 'completed', assembly: 'completed' });
  const histories = await takes(production);
  expect(histories.map((history) => standing(history).is)).toEqual(production.shots.map(() => 'settled'));
  for (const { output } of histories) expect(await rig.store.assets.has(output!.asset)).toBe(true);
}

async function parkedAsUnclear({ id }: FrozenProduction): Promise<ShotStatus> {
  const shot = await until(async () =>
    (await rig.client.status(id))?.shots.find(({ state }) => state === 'parked'),
  );
  expect(shot.parked?.for).toBe('unclear');
  return shot;
}

async function decide({ id }: FrozenProduction, decision: Decision): Promise<void> {
  await rig.client.resolve(id, 'a', decision);
}
