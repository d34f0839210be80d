import { type Worker } from './worker-package';

/** Temporal workers that run and end together. */
export class WorkerGroup {
  readonly #workers: Worker[] = [];
  #endedBy: Error | undefined;

  add(worker: Worker): void {
    this.#workers.push(worker);
  }

  /** Resolves when all workers have ended after `stop`. If one fails, stops the others and rejects. */
  async run(): Promise<void> {
    const runs = this.#workers.map((worker) => worker.run());
    try {
      await Promise.all(runs);
    } catch (error) {
      this.stop();
      await Promise.allSettled(runs);
      throw error;
    }
    if (this.#endedBy !== undefined) throw this.#endedBy;
  }

  stop(): void {
    for (const worker of this.#workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  }

  /** Stops the workers. `run` then rejects with the first reason. */
  stopBecause(reason: Error): void {
    this.#endedBy ??= reason;
    this.stop();
  }

  /** Ends workers that were created but do not run yet: they would keep the connection in use. */
  async endCreated(): Promise<void> {
    await Promise.allSettled(
      this.#workers.map((worker) => {
        // A worker ends only if it runs.
        const run = worker.run();
        worker.shutdown();
        return run;
      }),
    );
  }
}
