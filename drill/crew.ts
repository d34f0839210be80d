import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FailOrder } from './fail-points';
import { openWire, type Wire, type WirePoint } from './wire';
import { startWorkerProcess, type WorkerProcess, type WorkerSettings } from './worker-process';

/** A worker that cannot start, as while Temporal is down, is started again after this long. */
const START_AGAIN_MS = 500;

/** Longer than Temporal takes to give a stopped worker's work to another. */
const STOPPED_FOR_MS = 8_000;

/** A worker works for so long before a signal strikes it: on a busy machine none would come to anything otherwise. */
const WORKS_FIRST_MS = 3_000;

/** Told of every strike: the signal, and by what name the drill counts it. */
export type OnStruck = (signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP', by: string) => void;

/** A place at which a worker is kept running, with a way of its own to the gateway. */
export interface Post {
  /** Strikes when a worker has worked here for a moment: one worker for each signal. */
  strike(signal: 'SIGKILL' | 'SIGTERM'): void;
  /** Strikes the first worker here that reaches the point. */
  armPoint(order: FailOrder): void;
  armWire(point: WirePoint): void;
  /** Moves the clock of the worker that runs here, or of the next one. */
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
  let readyAtMs = 0;
  let isClosing = false;
  let starting: Promise<void> = Promise.resolve();
  let mayStart: Promise<void> = Promise.resolve();
  const clockSteps: number[] = [];
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
    for (const byMs of clockSteps.splice(0)) worker.stepClock(byMs);
    readyAtMs = Date.now();
    setTimeout(strikeNext, WORKS_FIRST_MS);
  }

  function dismiss(worker: WorkerProcess): void {
    worker.signal('SIGCONT');
    worker.signal('SIGTERM');
  }

  function strikeNext(): void {
    if (running === undefined || Date.now() - readyAtMs < WORKS_FIRST_MS) return;
    const signal = signals.shift();
    if (signal === undefined) return;
    running.signal(signal);
    onStruck(signal, 'worker');
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
      }
    }
  }

  const over = staff();
  return {
    strike(signal) {
      signals.push(signal);
      strikeNext();
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
    stepClock(byMs) {
      if (running === undefined) clockSteps.push(byMs);
      else running.stepClock(byMs);
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
      if (running !== undefined) dismiss(running);
      await over;
      await wire.close();
    },
  };
}
