import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FailOrder } from './fail-points';
import { openWire, type Wire, type WirePoint } from './wire';
import { startWorkerProcess, type WorkerProcess, type WorkerSettings } from './worker-process';

/** Delay before the next start after a worker could not start, for example while Temporal is down. */
const RESTART_DELAY_MS = 500;

/** How long a worker stays stopped (SIGSTOP). Longer than the heartbeat timeout: Temporal retries its activities. */
const STOPPED_FOR_MS = 8_000;

/**
 * Minimum time between the start of a worker and its first queued strike (a signal or a clock step), and between two
 * queued strikes. Without this time, a worker on a busy machine would get nothing done.
 */
const UNDISTURBED_MS = 4_000;
const CHECK_EVERY_MS = 500;

/** Called at every strike, with the signal and the name under which the drill counts the strike. */
export type OnStruck = (signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'clock', by: string) => void;

/** Keeps one worker running, with its own proxy to the gateway. Strikes wait until the worker has run for a while. */
export interface WorkerSlot {
  strike(signal: 'SIGKILL' | 'SIGTERM'): void;
  /** Strikes the first worker of this slot that reaches the point. */
  armPoint(order: FailOrder): void;
  armWire(point: WirePoint): void;
  stepClock(byMs: number): void;
}

export interface Crew {
  readonly slots: readonly WorkerSlot[];
  /** Kills every worker and then runs `work`. No worker starts until `work` has ended. */
  withoutWorkers(work: () => Promise<void>): Promise<void>;
  /** Ends all workers gracefully. */
  close(): Promise<void>;
}

/** Keeps one worker per slot running: replaces each worker that ends. */
export async function startCrew(size: number, settings: WorkerSettings, onStruck: OnStruck): Promise<Crew> {
  const wires = await Promise.all(Array.from({ length: size }, () => openWire(settings.gatewayUrl)));
  // A worker may download from an address that another worker received through its own proxy.
  const downloadHosts = wires.map(({ url }) => new URL(url).host);
  const supervised = wires.map((wire) =>
    superviseSlot(wire, { ...settings, gatewayUrl: wire.url, downloadHosts }, onStruck),
  );
  return {
    slots: supervised,
    async withoutWorkers(work) {
      const gate = new AbortController();
      const open = once(gate.signal, 'abort').then(() => undefined);
      try {
        await Promise.all(supervised.map((slot) => slot.keepEmpty(open)));
        await work();
      } finally {
        gate.abort();
      }
    },
    async close() {
      await Promise.all(supervised.map((slot) => slot.close()));
    },
  };
}

interface SupervisedSlot extends WorkerSlot {
  /** Kills the worker, or waits for its start and then kills it. No worker starts until `until` resolves. */
  keepEmpty(until: Promise<void>): Promise<void>;
  close(): Promise<void>;
}

function superviseSlot(wire: Wire, settings: WorkerSettings, onStruck: OnStruck): SupervisedSlot {
  let running: WorkerProcess | undefined;
  let isClosing = false;
  let starting: Promise<void> = Promise.resolve();
  let mayStart: Promise<void> = Promise.resolve();
  /** When the worker last started, or the timer last looked at the queue. */
  let undisturbedSinceMs = 0;
  const queue: ((worker: WorkerProcess) => void)[] = [];
  const armed = new Map<FailOrder['point'], FailOrder>();
  const timer = setInterval(() => {
    if (running === undefined || Date.now() - undisturbedSinceMs < UNDISTURBED_MS) return;
    undisturbedSinceMs = Date.now();
    queue.shift()?.(running);
  }, CHECK_EVERY_MS);

  function handOver(worker: WorkerProcess): void {
    // `close` cannot stop a worker that is still starting, so stop it now.
    if (isClosing) {
      stopGracefully(worker);
      return;
    }
    worker.onReached((order) => {
      armed.delete(order.point);
      onStruck(order.action === 'kill' ? 'SIGKILL' : 'SIGSTOP', order.point);
      if (order.action !== 'stop') return;
      setTimeout(() => {
        worker.signal('SIGCONT');
      }, STOPPED_FOR_MS);
    });
    undisturbedSinceMs = Date.now();
  }

  function arm(worker: WorkerProcess, order: FailOrder): void {
    if (armed.has(order.point)) {
      queue.push((next) => {
        arm(next, order);
      });
      return;
    }
    armed.set(order.point, order);
    worker.arm(order);
  }

  /** Queues the last worker's unreached points for the next worker. */
  function requeueArmed(): void {
    for (const order of armed.values()) {
      queue.push((worker) => {
        arm(worker, order);
      });
    }
    armed.clear();
  }

  function stopGracefully(worker: WorkerProcess): void {
    worker.signal('SIGCONT');
    worker.signal('SIGTERM');
  }

  async function supervise(): Promise<void> {
    while (!isClosing) {
      await mayStart;
      try {
        const start = startWorkerProcess(settings).then((worker) => {
          running = worker;
          handOver(worker);
          return worker;
        });
        starting = start.then(
          () => undefined,
          () => undefined,
        );
        await (
          await start
        ).ended;
      } catch {
        await sleep(RESTART_DELAY_MS);
      } finally {
        running = undefined;
        requeueArmed();
      }
    }
  }

  const allEnded = supervise();
  return {
    strike(signal) {
      queue.push((worker) => {
        worker.signal(signal);
        onStruck(signal, 'worker');
      });
    },
    armPoint(order) {
      queue.push((worker) => {
        arm(worker, order);
      });
    },
    armWire(point) {
      queue.push(() => {
        wire.arm(point, () => {
          running?.signal('SIGKILL');
          onStruck('SIGKILL', point);
        });
      });
    },
    stepClock(byMs) {
      queue.push((worker) => {
        worker.stepClock(byMs);
        onStruck('clock', 'stepped');
      });
    },
    async keepEmpty(until) {
      mayStart = until;
      await starting;
      if (running === undefined) return;
      const { ended } = running;
      running.signal('SIGKILL');
      onStruck('SIGKILL', 'ledger-loss');
      await ended;
    },
    async close() {
      isClosing = true;
      clearInterval(timer);
      if (running !== undefined) stopGracefully(running);
      await allEnded;
      await wire.close();
    },
  };
}
