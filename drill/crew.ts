import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FailOrder } from './fail-points';
import { openWire, type Wire, type WirePoint } from './wire';
import { startWorkerProcess, type WorkerProcess, type WorkerSettings } from './worker-process';

/** Delay before a worker that could not start, for example while Temporal is down, is started again. */
const START_AGAIN_MS = 500;

/** How long a worker stays stopped. Longer than Temporal takes to give its work to another worker. */
const STOPPED_FOR_MS = 8_000;

/**
 * How long a worker runs before it is struck, and between strikes. On a busy machine a worker starts slowly, and would
 * otherwise get nothing done.
 */
const WORKS_FIRST_MS = 4_000;
const LOOK_EVERY_MS = 500;

/** Called at every strike, with the signal and the name under which the drill counts it. */
export type OnStruck = (signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'clock', by: string) => void;

/**
 * Keeps one worker running, with its own proxy to the gateway. Strikes are queued until a worker has run here for a
 * while.
 */
export interface Post {
  strike(signal: 'SIGKILL' | 'SIGTERM'): void;
  /** Strikes the first worker here that reaches the point. */
  armPoint(order: FailOrder): void;
  armWire(point: WirePoint): void;
  stepClock(byMs: number): void;
}

export interface Crew {
  readonly posts: readonly Post[];
  /** Kills every worker. None is started again until `work` has ended. */
  withoutWorkers(work: () => Promise<void>): Promise<void>;
  /** Ends all workers gracefully. */
  close(): Promise<void>;
}

/** Keeps one worker per post running, as a supervisor does, and replaces each one that ends. */
export async function hireCrew(size: number, settings: WorkerSettings, onStruck: OnStruck): Promise<Crew> {
  const wires = await Promise.all(Array.from({ length: size }, () => openWire(settings.gatewayUrl)));
  // The ledger may have an address that another worker received through its own proxy.
  const downloadHosts = wires.map(({ url }) => new URL(url).host);
  const staffed = wires.map((wire) =>
    keepStaffed(wire, { ...settings, gatewayUrl: wire.url, downloadHosts }, onStruck),
  );
  return {
    posts: staffed,
    async withoutWorkers(work) {
      const gate = new AbortController();
      const open = once(gate.signal, 'abort').then(() => undefined);
      try {
        await Promise.all(staffed.map((post) => post.leaveEmpty(open)));
        await work();
      } finally {
        gate.abort();
      }
    },
    async close() {
      await Promise.all(staffed.map((post) => post.close()));
    },
  };
}

interface StaffedPost extends Post {
  /** Kills the worker here, even if it is starting. None is started again until the promise resolves. */
  leaveEmpty(until: Promise<void>): Promise<void>;
  close(): Promise<void>;
}

function keepStaffed(wire: Wire, settings: WorkerSettings, onStruck: OnStruck): StaffedPost {
  let running: WorkerProcess | undefined;
  let isClosing = false;
  let starting: Promise<void> = Promise.resolve();
  let mayStart: Promise<void> = Promise.resolve();
  /** When the worker here started, or was last given a strike. */
  let undisturbedSinceMs = 0;
  const waiting: ((worker: WorkerProcess) => void)[] = [];
  const armed = new Map<FailOrder['point'], FailOrder>();
  const turns = setInterval(() => {
    if (running === undefined || Date.now() - undisturbedSinceMs < WORKS_FIRST_MS) return;
    undisturbedSinceMs = Date.now();
    waiting.shift()?.(running);
  }, LOOK_EVERY_MS);

  function instruct(worker: WorkerProcess): void {
    // Nothing else ends a worker that was still starting when the crew closed.
    if (isClosing) {
      dismiss(worker);
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
      waiting.push((next) => {
        arm(next, order);
      });
      return;
    }
    armed.set(order.point, order);
    worker.arm(order);
  }

  /** Queues the points that the last worker did not reach for the next worker. */
  function handBack(): void {
    for (const order of armed.values()) {
      waiting.push((worker) => {
        arm(worker, order);
      });
    }
    armed.clear();
  }

  function dismiss(worker: WorkerProcess): void {
    worker.signal('SIGCONT');
    worker.signal('SIGTERM');
  }

  async function staff(): Promise<void> {
    while (!isClosing) {
      await mayStart;
      try {
        const start = startWorkerProcess(settings).then((worker) => {
          running = worker;
          instruct(worker);
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
        await sleep(START_AGAIN_MS);
      } finally {
        running = undefined;
        handBack();
      }
    }
  }

  const over = staff();
  return {
    strike(signal) {
      waiting.push((worker) => {
        worker.signal(signal);
        onStruck(signal, 'worker');
      });
    },
    armPoint(order) {
      waiting.push((worker) => {
        arm(worker, order);
      });
    },
    armWire(point) {
      waiting.push(() => {
        wire.arm(point, () => {
          running?.signal('SIGKILL');
          onStruck('SIGKILL', point);
        });
      });
    },
    stepClock(byMs) {
      waiting.push((worker) => {
        worker.stepClock(byMs);
        onStruck('clock', 'stepped');
      });
    },
    async leaveEmpty(until) {
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
      clearInterval(turns);
      if (running !== undefined) dismiss(running);
      await over;
      await wire.close();
    },
  };
}
