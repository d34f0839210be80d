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
export interface LedgerLoss {
  /** Runs work that needs the store's records. The work waits for a loss in progress, and a loss waits for the work. */
  withRecords<T>(work: () => Promise<T>): Promise<T>;
  /** Kills all workers, deletes the records, and restores the last backup. Then workers start again. */
  strike(): Promise<void>;
  count(): number;
  /** The takes of the ledger, read right before each loss. */
  beforeLosses(): readonly ReckonedTake[];
  /** Ends the backups. After any loss, also rebuilds the ledger. Call it when all films have ended. */
  close(): Promise<void>;
}

/**
 * Starts the backups. Also starts a loop that does what a person would do after a restore: it checks the ledger,
 * rebuilds it if tasks are missing, and then declares that nothing is missing.
 */
export async function createLedgerLoss({ stage, crew, films, folder }: LedgerLossOptions): Promise<LedgerLoss> {
  const { store, sandbox, temporal } = stage;
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const beforeLosses: ReckonedTake[] = [];
  /** Resolves when the records are back after the last loss. */
  let restored: Promise<void> = Promise.resolve();
  let losses = 0;
  let backups = 0;
  let restoredAtMs: number | undefined;

  async function withRecords<T>(work: () => Promise<T>): Promise<T> {
    for (let waited; waited !== restored;) await (waited = restored);
    const working = work();
    running.add(working);
    try {
      return await working;
    } finally {
      running.delete(working);
    }
  }

  const backupFile = (n: number): string => join(folder, `backup-${n}`);

  async function takeBackup(): Promise<void> {
    await writeBackup(store.folder, backupFile(backups + 1));
    backups += 1;
  }

  async function loseAndRestore(): Promise<void> {
    await Promise.allSettled(running);
    await crew.withoutWorkers(async () => {
      beforeLosses.push(...(await takesInStore(store, films)));
      await loseRecords(store.folder);
      await restoreBackup(store.folder, backupFile(backups), { nothingSentSince: false });
    });
    losses += 1;
    restoredAtMs = Date.now();
  }

  /**
   * Number of the gateway's tasks that the ledger does not account for. It accounts for a task if it has the task's id,
   * or if a sending of the take is unclear because its answer was lost. A sending that a restore made unclear does not
   * count.
   */
  async function unknownTasks(): Promise<number> {
    const takes = (await takesInStore(store, films)).map(({ history }) => history);
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
  async function rebuild(): Promise<void> {
    for (const { frozen } of films) {
      await rebuildLedger({ store, account: DRILL_ACCOUNT, production: frozen.id, temporal: temporal.client });
    }
  }

  /**
   * Rebuilds the ledger if it lacks tasks. Ends the restore as `dailies ledger --nothing-sent-since-backup` does, once
   * there are no `unknownTasks`. Does nothing until `ACT_AFTER_MS` after the restore, when requests on the wire have
   * arrived.
   */
  async function checkAfterRestore(): Promise<void> {
    if (restoredAtMs === undefined || Date.now() - restoredAtMs < ACT_AFTER_MS) return;
    if ((await unknownTasks()) > 0) await rebuild();
    if ((await unknownTasks()) > 0) return;
    await clearRestored(store);
    restoredAtMs = undefined;
  }

  async function everyMs(ms: number, work: () => Promise<void>): Promise<void> {
    while (!closing.signal.aborted) {
      // Temporal may be down. The next turn tries again.
      await withRecords(work).catch(() => undefined);
      await sleep(ms, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  await takeBackup();
  const loops = [everyMs(BACKUP_EVERY_MS, takeBackup), everyMs(CHECK_EVERY_MS, checkAfterRestore)];
  return {
    withRecords,
    async strike() {
      const before = restored;
      restored = before.then(loseAndRestore);
      await restored;
    },
    count: () => losses,
    beforeLosses: () => beforeLosses,
    async close() {
      closing.abort();
      await Promise.all(loops);
      // All films have ended, so the histories are complete.
      if (losses > 0) await withRecords(rebuild);
    },
  };
}
