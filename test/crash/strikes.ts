import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Decision } from '../../contracts/render/decision';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type FailOrder, type StorePoint } from '../../drill/fail-points';
import { openWire, type WirePoint } from '../../drill/wire';
import { startWorkerProcess, type WorkerProcess } from '../../drill/worker-process';
import { type Sandbox, type SandboxTask } from '../../sandbox';
import { ledgerState, type TakeHistory } from '../../store';
import { planOf, type Rig, RIG_KEY, startRig } from '../support/rig';
import { until } from '../support/until';

/** A rig whose workers are processes that can be killed or stopped at a named point, and the three sides to check. */
export interface Strikes {
  /** The worker that the previous test left running, or a new one. Only this worker polls, so the fault strikes it. */
  oneWorker(): Promise<WorkerProcess>;
  /** Starts a worker without a fault. */
  another(): Promise<WorkerProcess>;
  /** Starts the production, and a worker with a fault that strikes while it renders. */
  struckAt(point: StorePoint, production: FrozenProduction, action?: FailOrder['action']): Promise<WorkerProcess>;
  struckOnWire(point: WirePoint, production: FrozenProduction): Promise<void>;
  start(production: FrozenProduction): Promise<void>;
  /** Stops the worker like a machine that stalls, and drops it. SIGCONT continues it. */
  stall(worker: WorkerProcess): void;
  /** How the gateway misbehaves. */
  readonly faults: Sandbox['faults'];
  /** Part files in the store, by name. */
  parts(): Promise<readonly string[]>;
  /** Starts the production's shot as a single task by execute, and a worker with a fault that strikes while it runs. */
  struckExecuting(point: StorePoint, production: FrozenProduction): Promise<{ readonly ended: Promise<unknown> }>;
  takes(production: FrozenProduction): Promise<readonly TakeHistory[]>;
  /** What the gateway accepted for the production: it keeps the key under which each take was sent. */
  accepted(production: FrozenProduction): Promise<readonly SandboxTask[]>;
  /** Waits for a successful end: a film, every take settled, every clip in the store as at the gateway. */
  completed(production: FrozenProduction): Promise<void>;
  /** Holds new submits of the production. */
  pause(production: FrozenProduction): Promise<unknown>;
  /** Cancels the production, and waits for its end. */
  cancelled(production: FrozenProduction): ReturnType<Rig['client']['ended']>;
  parkedAsUnclear(production: FrozenProduction): Promise<void>;
  decide(production: FrozenProduction, decision: Decision): Promise<void>;
  /** Ends all workers except the last one started, which the next test uses. */
  leaveOne(): Promise<void>;
  close(): Promise<void>;
}

export async function startStrikes(): Promise<Strikes> {
  const rig: Rig = await startRig({}, { inProcess: false });
  const wire = await openWire(rig.sandbox.url);
  const toTemporal = await openWire(`http://${rig.server.address}`);
  const workers: WorkerProcess[] = [];

  const strikes: Strikes = {
    start: (production) => rig.start(production),
    faults: rig.sandbox.faults,
    stall(worker) {
      worker.signal('SIGSTOP');
      // Otherwise Temporal gives the stopped process one task after another.
      toTemporal.cut();
    },
    parts: async () => (await readdir(join(rig.store.folder, 'parts'))).filter((name) => name.endsWith('.part')),
    async another() {
      const worker = await startWorkerProcess({
        temporalAddress: new URL(toTemporal.url).host,
        gatewayUrl: wire.url,
        gatewayKey: RIG_KEY,
        account: 'sandbox',
        storeFolder: rig.store.folder,
        pollFloorMs: 250,
      });
      workers.push(worker);
      void worker.ended.then(() => workers.splice(workers.indexOf(worker), 1));
      return worker;
    },
    oneWorker: async () => workers.at(-1) ?? strikes.another(),
    async struckAt(point, production, action = 'kill') {
      const worker = await strikes.oneWorker();
      const reached = new Promise<FailOrder>((resolve) => worker.onReached(resolve));
      worker.arm({ point, count: 1, action });
      await rig.start(production);
      expect((await reached).point).toBe(point);
      if (action === 'kill') expect(await worker.ended).toBe('SIGKILL');
      // As a machine that stalls is dropped. Otherwise Temporal gives the stopped process one task after another.
      else toTemporal.cut();
      return worker;
    },
    async struckOnWire(point, production) {
      const worker = await strikes.oneWorker();
      wire.arm(point, () => worker.signal('SIGKILL'));
      await rig.start(production);
      expect(await worker.ended).toBe('SIGKILL');
    },
    async struckExecuting(point, production) {
      const worker = await strikes.oneWorker();
      worker.arm({ point, count: 1, action: 'kill' });
      const [shot] = planOf(production).shots;
      const ended = rig.client.generate({
        generationId: production.shots[0]!.id,
        production: await rig.store.putJson(production),
        shot: shot!,
        mode: 'execute',
      });
      expect(await worker.ended).toBe('SIGKILL');
      return { ended };
    },
    async takes({ id, shots }) {
      return (await Promise.all(shots.map((shot) => rig.store.ledger.takes(id, shot.id)))).flat();
    },
    async accepted(production) {
      const keys = (await strikes.takes(production)).map(({ intent }) => intent.takeKey);
      return rig.sandbox.tasks().filter(({ idempotencyKey }) => keys.includes(idempotencyKey ?? ''));
    },
    async completed(production) {
      expect(await rig.client.ended(production.id)).toMatchObject({ state: 'completed', assembly: 'completed' });
      const histories = await strikes.takes(production);
      expect(histories.map((history) => ledgerState(history).is)).toEqual(production.shots.map(() => 'settled'));
      for (const { output, sendings } of histories) {
        const taskId = sendings.flatMap(({ accepted }) => accepted?.taskId ?? []).at(-1);
        expect(output!.asset.sha256).toBe(await hashAtGateway(rig.sandbox.url, taskId!));
        expect(await rig.store.assets.has(output!.asset)).toBe(true);
      }
    },
    pause: ({ id }) => rig.store.holds.pause(id, 'a person looks'),
    async cancelled({ id }) {
      await rig.client.cancel(id);
      return rig.client.ended(id);
    },
    async parkedAsUnclear({ id }) {
      const parked = await until(async () => {
        // A query that was given to a stopped worker is not answered.
        const status = await rig.client.status(id).catch(() => undefined);
        return status?.shots.find(({ state }) => state === 'parked')?.parked ?? undefined;
      });
      expect(parked.for).toBe('unclear');
    },
    async decide({ id, shots }, decision) {
      await rig.client.resolve(id, shots[0]!.id, decision);
    },
    leaveOne: () => end(workers.slice(0, -1)),
    async close() {
      await end(workers);
      await Promise.all([wire.close(), toTemporal.close()]);
      await rig.close();
    },
  };
  return strikes;
}

async function end(workers: readonly WorkerProcess[]): Promise<void> {
  await Promise.all(
    workers.map(async (worker) => {
      worker.signal('SIGKILL');
      await worker.ended;
    }),
  );
}

async function hashAtGateway(url: string, taskId: string): Promise<string> {
  const headers = { authorization: `Bearer ${RIG_KEY}` };
  const answer = await fetch(`${url}/workflows/v1/models/${taskId}/result`, { headers });
  const { response } = (await answer.json()) as { response: { result: { url: string } } };
  const clip = await (await fetch(response.result.url, { headers })).arrayBuffer();
  return createHash('sha256').update(Buffer.from(clip)).digest('hex');
}
