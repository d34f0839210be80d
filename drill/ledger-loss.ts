import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rebuildLedger } from '../client/books/rebuild-ledger';
import { tasksOf } from '../store';
import { writeBackup } from '../store/backup/backup';
import { clearRestored, restoreBackup } from '../store/backup/restore';
import { type Crew } from './crew';
import { ACT_AFTER_MS } from './operator';
import { type DrillProduction } from './productions';
import { type ReckonedTake } from './reckoning';
import { DRILL_ACCOUNT, type Stage } from './stage';
import { loseRecords } from './store-faults';
import { takesInStore } from './takes-in-store';

/** Interval of backups. After a loss, the records since the last backup are missing. */
const BACKUP_EVERY_MS = 30_000;

/** Interval of checks after a restore. A check reads the whole ledger, so checks are not frequent. */
const CHECK_EVERY_MS = 5_000;

export interface LedgerLossOptions {
  readonly stage: Stage;
  readonly crew: Crew;
  readonly films: readonly DrillProduction[];
  readonly folder: string;
}

/** Takes backups while the films are rendered. Each loss deletes all records and restores the last backup. */
export class LedgerLoss {
  readonly #stage: Stage;
  readonly #crew: Crew;
  readonly #films: readonly DrillProduction[];
  readonly #folder: string;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #beforeLosses: ReckonedTake[] = [];
  #loops: readonly Promise<void>[] = [];
  /** Resolves when the records are back after the last loss. */
  #restored: Promise<void> = Promise.resolve();
  #losses = 0;
  #backups = 0;
  #restoredAtMs: number | undefined;

  private constructor({ stage, crew, films, folder }: LedgerLossOptions) {
    this.#stage = stage;
    this.#crew = crew;
    this.#films = films;
    this.#folder = folder;
  }

  /**
   * Starts the backups. Also starts a loop that does what a person would do after a restore: it checks the ledger,
   * rebuilds it if tasks are missing, and then declares that nothing is missing.
   */
  static async open(options: LedgerLossOptions): Promise<LedgerLoss> {
    const loss = new LedgerLoss(options);
    await loss.#takeBackup();
    loss.#loops = [
      loss.#everyMs(BACKUP_EVERY_MS, () => loss.#takeBackup()),
      loss.#everyMs(CHECK_EVERY_MS, () => loss.#checkAfterRestore()),
    ];
    return loss;
  }

  /** Runs work that needs the store's records. The work waits for a loss in progress, and a loss waits for the work. */
  async withRecords<T>(work: () => Promise<T>): Promise<T> {
    for (let waited; waited !== this.#restored;) await (waited = this.#restored);
    const working = work();
    this.#running.add(working);
    try {
      return await working;
    } finally {
      this.#running.delete(working);
    }
  }

  /** Kills all workers, deletes the records, and restores the last backup. Then workers start again. */
  async strike(): Promise<void> {
    const before = this.#restored;
    this.#restored = before.then(() => this.#loseAndRestore());
    await this.#restored;
  }

  count(): number {
    return this.#losses;
  }

  /** The takes of the ledger, read right before each loss. */
  beforeLosses(): readonly ReckonedTake[] {
    return this.#beforeLosses;
  }

  /** Begins no further backup or check. */
  stop(): void {
    this.#closing.abort();
  }

  /** Ends the backups and checks. If there was a loss, then rebuilds the ledger. Call it when all films have ended. */
  async close(): Promise<void> {
    this.stop();
    await Promise.all(this.#loops);
    // All films have ended, so the histories are complete.
    if (this.#losses > 0) await this.withRecords(() => this.#rebuild());
  }

  async #everyMs(ms: number, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      // Temporal may be down. The next turn tries again.
      await this.withRecords(work).catch(() => undefined);
      await sleep(ms, undefined, { signal }).catch(() => undefined);
    }
  }

  async #takeBackup(): Promise<void> {
    await writeBackup(this.#stage.store.folder, this.#backupFile(this.#backups + 1));
    this.#backups += 1;
  }

  #backupFile(n: number): string {
    return join(this.#folder, `backup-${n}`);
  }

  async #loseAndRestore(): Promise<void> {
    const { store } = this.#stage;
    await Promise.allSettled(this.#running);
    await this.#crew.withoutWorkers(async () => {
      this.#beforeLosses.push(...(await takesInStore(store, this.#films)));
      await loseRecords(store.folder);
      await restoreBackup(store.folder, this.#backupFile(this.#backups), { nothingSentSince: false });
    });
    this.#losses += 1;
    this.#restoredAtMs = Date.now();
  }

  /**
   * Rebuilds the ledger if it lacks tasks. Ends the restore as `dailies ledger --nothing-sent-since-backup` does, once
   * there are no `#unknownTasks`. Does nothing until `ACT_AFTER_MS` after the restore, when requests on the wire have
   * arrived.
   */
  async #checkAfterRestore(): Promise<void> {
    if (this.#restoredAtMs === undefined || Date.now() - this.#restoredAtMs < ACT_AFTER_MS) return;
    if ((await this.#unknownTasks()) > 0) await this.#rebuild();
    if ((await this.#unknownTasks()) > 0) return;
    await clearRestored(this.#stage.store);
    this.#restoredAtMs = undefined;
  }

  /**
   * Number of the gateway's tasks that the ledger does not account for. It accounts for a task if it has the task's id,
   * or if a sending of the task's take is unclear because its answer was lost. A sending that a restore made unclear
   * does not count.
   */
  async #unknownTasks(): Promise<number> {
    const { store, sandbox } = this.#stage;
    const takes = (await takesInStore(store, this.#films)).map(({ history }) => history);
    const recorded = new Set(takes.flatMap(tasksOf));
    const unclear = new Set(
      takes
        .filter(({ sendings }) => sendings.some((one) => one.unclear !== undefined && !('restored' in one.unclear)))
        .map(({ intent }) => intent.takeKey),
    );
    return sandbox.tasks().filter(({ id, idempotencyKey }) => !recorded.has(id) && !unclear.has(idempotencyKey ?? ''))
      .length;
  }

  /** Rebuilds the ledger of each production, as `dailies ledger ID --rebuild` does. */
  async #rebuild(): Promise<void> {
    const { store, temporal } = this.#stage;
    for (const { frozen } of this.#films) {
      await rebuildLedger({ store, account: DRILL_ACCOUNT, production: frozen.id, temporal: temporal.client });
    }
  }
}
