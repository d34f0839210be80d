import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FailOrder } from './fail-points';
import { openWire, type Wire, type WirePoint } from './wire';
import { startWorkerProcess, type WorkerProcess, type WorkerSettings } from './worker-process';

/** A worker that cannot start, as while Temporal is down, is started again after this long. */
const START_AGAIN_MS = 500;

/** Longer than Temporal takes to give a stopped worker's work to another. */
const STOPPED_FOR_MS = 8_000;

/**
 * A worker works for so long before it is struck, and before it is struck again. Otherwise nothing would come of any
 * worker on a busy machine, which takes long to start the next one.
 */
const WORKS_FIRST_MS = 4_000;
const LOOK_EVERY_MS = 500;

/** Told of every strike: the signal, and by what name the drill counts it. */
export type OnStruck = (signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'clock', by: string) => void;

/**
 * A place at which a worker is kept running, with a way of its own to the gateway. What is to strike it waits for its turn,
 * until a worker has worked here for a moment.
 */
export interface Post {
  strike(signal: 'SIGKILL' | 'SIGTERM'): void;
  /** Strikes the first worker here that reaches the point. */
  armPoint(order: FailOrder): void;
  armWire(point: WirePoint): void;
  /** Moves the clock of a worker. */
  stepClock(byMs: number): void;
}

export interface Crew {
  readonly posts: readonly Post[];
  /** Kills every worker. None is started again before the work is done. */
  withoutWorkers(work: () => Promise<void>): Promise<void>;
  /** Ends all workers in good order. */
  close(): Promise<void>;
}

/** Keeps as many workers running as there are posts, as a supervisor does: whoever ends is replaced. */
export async function hireCrew(size: number, settings: WorkerSettings, onStruck: OnStruck): Promise<Crew> {
  const wires = await Promise.all(Array.from({ length: size }, () => openWire(settings.gatewayUrl)));
  // The ledger may have an address that another worker was told by its own way.
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
  /** Kills the worker here, also one that is starting. None is started again until the promise resolves. */
  leaveEmpty(until: Promise<void>): Promise<void>;
  close(): Promise<void>;
}

function keepStaffed(wire: Wire, settings: WorkerSettings, onStruck: OnStruck): StaffedPost {
  let running: WorkerProcess | undefined;
  let isClosing = false;
  let starting: Promise<void> = Promise.resolve();
  let mayStart: Promise<void> = Promise.resolve();
  /** When the worker here began to work, or was last told of something that is to strike it. */
  let undisturbedSinceMs = 0;
  const waiting: ((worker: WorkerProcess) => void)[] = [];
  const armed = new Map<FailOrder['point'], FailOrder>();
  const turns = setInterval(() => {
    if (running === undefined || Date.now() - undisturbedSinceMs < WORKS_FIRST_MS) return;
    undisturbedSinceMs = Date.now();
    waiting.shift()?.(running);
  }, LOOK_EVERY_MS);

  function instruct(worker: WorkerProcess): void {
    // Nobody else ends one that was still starting when the crew was told to go.
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

  /** What the last worker did not come to waits for another one. */
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
