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
 * Minimum time between a worker's start and its first queued order, and between two orders. An order sends a signal,
 * steps the clock or arms a point. Without this time, a worker on a busy machine would get nothing done.
 */
const UNDISTURBED_MS = 4_000;
const CHECK_EVERY_MS = 500;

/** Called at every strike. The drill counts strikes by signal and cause (`by`). */
export type OnStruck = (signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'clock', by: string) => void;

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
  // A worker may have to download from the address of another worker's proxy.
  const downloadHosts = wires.map(({ url }) => new URL(url).host);
  const slots = wires.map(
    (wire) => new WorkerSlot(wire, { ...settings, gatewayUrl: wire.url, downloadHosts }, onStruck),
  );
  return {
    slots,
    async withoutWorkers(work) {
      const gate = new AbortController();
      const open = once(gate.signal, 'abort').then(() => undefined);
      try {
        await Promise.all(slots.map((slot) => slot.keepEmpty(open)));
        await work();
      } finally {
        gate.abort();
      }
    },
    async close() {
      await Promise.all(slots.map((slot) => slot.close()));
    },
  };
}

/** Keeps one worker running, with its own proxy to the gateway. Orders wait until the worker has run for a while. */
class WorkerSlot {
  readonly #wire: Wire;
  readonly #settings: WorkerSettings;
  readonly #onStruck: OnStruck;
  readonly #queue: ((worker: WorkerProcess) => void)[] = [];
  readonly #armed = new Map<FailOrder['point'], FailOrder>();
  readonly #timer: NodeJS.Timeout;
  readonly #allEnded: Promise<void>;
  #running: WorkerProcess | undefined;
  #isClosing = false;
  #starting: Promise<void> = Promise.resolve();
  #mayStart: Promise<void> = Promise.resolve();
  /** When the worker last started, or when an order was last due. */
  #undisturbedSinceMs = 0;

  constructor(wire: Wire, settings: WorkerSettings, onStruck: OnStruck) {
    this.#wire = wire;
    this.#settings = settings;
    this.#onStruck = onStruck;
    this.#timer = setInterval(() => {
      this.#strikeNext();
    }, CHECK_EVERY_MS);
    this.#allEnded = this.#supervise();
  }

  strike(signal: 'SIGKILL' | 'SIGTERM'): void {
    this.#queue.push((worker) => {
      worker.signal(signal);
      this.#onStruck(signal, 'worker');
    });
  }

  /** Strikes the first worker of this slot that reaches the point. */
  armPoint(order: FailOrder): void {
    this.#queue.push((worker) => {
      this.#arm(worker, order);
    });
  }

  armWire(point: WirePoint): void {
    this.#queue.push(() => {
      this.#wire.arm(point, () => {
        // The worker of another slot may download through this wire. A strike without a victim does not count.
        if (this.#running === undefined) return;
        this.#running.signal('SIGKILL');
        this.#onStruck('SIGKILL', point);
      });
    });
  }

  stepClock(byMs: number): void {
    this.#queue.push((worker) => {
      worker.stepClock(byMs);
      this.#onStruck('clock', 'stepped');
    });
  }

  /** Kills the worker, or waits for its start and then kills it. No worker starts until `until` resolves. */
  async keepEmpty(until: Promise<void>): Promise<void> {
    this.#mayStart = until;
    await this.#starting;
    if (this.#running === undefined) return;
    const { ended } = this.#running;
    this.#running.signal('SIGKILL');
    this.#onStruck('SIGKILL', 'ledger-loss');
    await ended;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#timer);
    if (this.#running !== undefined) stopGracefully(this.#running);
    await this.#allEnded;
    await this.#wire.close();
  }

  #strikeNext(): void {
    if (this.#running === undefined || Date.now() - this.#undisturbedSinceMs < UNDISTURBED_MS) return;
    this.#undisturbedSinceMs = Date.now();
    this.#queue.shift()?.(this.#running);
  }

  async #supervise(): Promise<void> {
    while (!this.#isClosing) {
      // `keepEmpty` may replace the promise while it is awaited here.
      for (let waited; waited !== this.#mayStart;) await (waited = this.#mayStart);
      try {
        const start = startWorkerProcess(this.#settings).then((worker) => {
          this.#running = worker;
          this.#handOver(worker);
          return worker;
        });
        this.#starting = start.then(
          () => undefined,
          () => undefined,
        );
        await (
          await start
        ).ended;
      } catch {
        await sleep(RESTART_DELAY_MS);
      } finally {
        this.#running = undefined;
        this.#requeueArmed();
      }
    }
  }

  #handOver(worker: WorkerProcess): void {
    // `close` cannot stop a worker that is still starting, so stop it now.
    if (this.#isClosing) {
      stopGracefully(worker);
      return;
    }
    worker.onReached((order) => {
      this.#armed.delete(order.point);
      this.#onStruck(order.action === 'kill' ? 'SIGKILL' : 'SIGSTOP', order.point);
      if (order.action !== 'stop') return;
      setTimeout(() => {
        worker.signal('SIGCONT');
      }, STOPPED_FOR_MS);
    });
    this.#undisturbedSinceMs = Date.now();
  }

  /** Queues the last worker's unreached points for the next worker. */
  #requeueArmed(): void {
    for (const order of this.#armed.values()) {
      this.#queue.push((worker) => {
        this.#arm(worker, order);
      });
    }
    this.#armed.clear();
  }

  #arm(worker: WorkerProcess, order: FailOrder): void {
    if (this.#armed.has(order.point)) {
      this.#queue.push((next) => {
        this.#arm(next, order);
      });
      return;
    }
    this.#armed.set(order.point, order);
    worker.arm(order);
  }
}

function stopGracefully(worker: WorkerProcess): void {
  worker.signal('SIGCONT');
  worker.signal('SIGTERM');
}
