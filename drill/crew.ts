import { setTimeout as sleep } from 'node:timers/promises';
import { type FailOrder } from './fail-points';
import { openWire, type Wire, type WirePoint } from './wire';
import { startWorkerProcess, type WorkerProcess, type WorkerSettings } from './worker-process';

/** A worker that cannot start, as while Temporal is down, is started again after this long. */
const START_AGAIN_MS = 500;

/** Longer than Temporal takes to give a stopped worker's work to another. */
const STOPPED_FOR_MS = 8_000;

/** Told of every strike: the signal, and by what name the drill counts it. */
export type OnStruck = (signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP', by: string) => void;

/** A place at which a worker is kept running, with a way of its own to the gateway. */
export interface Post {
  /** Strikes as soon as a worker runs here. */
  strike(signal: 'SIGKILL' | 'SIGTERM'): void;
  /** Strikes the first worker here that reaches the point. */
  armPoint(order: FailOrder): void;
  armWire(point: WirePoint): void;
}

export interface Crew {
  readonly posts: readonly Post[];
  /** Ends all workers in good order. */
  close(): Promise<void>;
}

/** Keeps as many workers running as there are posts, as a supervisor does: whoever ends is replaced. */
export async function hireCrew(size: number, settings: WorkerSettings, onStruck: OnStruck): Promise<Crew> {
  const staffed = await Promise.all(
    Array.from({ length: size }, async () => {
      const wire = await openWire(settings.gatewayUrl);
      return keepStaffed(wire, { ...settings, gatewayUrl: wire.url }, onStruck);
    }),
  );
  return {
    posts: staffed,
    async close() {
      await Promise.all(staffed.map((post) => post.close()));
    },
  };
}

function keepStaffed(wire: Wire, settings: WorkerSettings, onStruck: OnStruck): Post & { close(): Promise<void> } {
  let running: WorkerProcess | undefined;
  let isClosing = false;
  /** Orders that no worker has come to yet. Who is replaced hands them on. */
  const orders = new Set<FailOrder>();
  const signals: ('SIGKILL' | 'SIGTERM')[] = [];

  function instruct(worker: WorkerProcess): void {
    // Nobody else ends one that was still starting when the crew was told to go.
    if (isClosing) {
      dismiss(worker);
      return;
    }
    worker.onReached((order) => {
      for (const one of orders) if (one.point === order.point) orders.delete(one);
      onStruck(order.action === 'kill' ? 'SIGKILL' : 'SIGSTOP', order.point);
      if (order.action !== 'stop') return;
      setTimeout(() => {
        worker.signal('SIGCONT');
      }, STOPPED_FOR_MS);
    });
    for (const order of orders) worker.arm(order);
    for (const signal of signals.splice(0)) strike(worker, signal);
  }

  function dismiss(worker: WorkerProcess): void {
    worker.signal('SIGCONT');
    worker.signal('SIGTERM');
  }

  function strike(worker: WorkerProcess, signal: 'SIGKILL' | 'SIGTERM'): void {
    worker.signal(signal);
    onStruck(signal, 'worker');
  }

  async function staff(): Promise<void> {
    while (!isClosing) {
      try {
        running = await startWorkerProcess(settings);
        instruct(running);
        await running.ended;
      } catch {
        await sleep(START_AGAIN_MS);
      } finally {
        running = undefined;
      }
    }
  }

  const over = staff();
  return {
    strike(signal) {
      if (running === undefined) signals.push(signal);
      else strike(running, signal);
    },
    armPoint(order) {
      orders.add(order);
      running?.arm(order);
    },
    armWire(point) {
      wire.arm(point, () => {
        running?.signal('SIGKILL');
        onStruck('SIGKILL', point);
      });
    },
    async close() {
      isClosing = true;
      if (running !== undefined) dismiss(running);
      await over;
      await wire.close();
    },
  };
}
