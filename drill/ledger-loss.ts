import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rebuildLedger } from '../client/books/rebuild-ledger';
import { tasksOf } from '../store';
import { writeBackup } from '../store/backup';
import { clearRestored, restoreBackup } from '../store/restore';
import { type Crew } from './crew';
import { LOOK_INTO_AFTER_MS } from './operator';
import { type DrillProduction } from './productions';
import { type ReckonedTake } from './reckoning';
import { DRILL_ACCOUNT, type Stage } from './stage';
import { loseRecords } from './store-faults';
import { takesInStore } from './takes-in-store';

/** Longest time whose records a loss deletes. */
const BACKUP_EVERY_MS = 30_000;

/** Interval of checks after a restore. They read histories, so they are not frequent. */
const LOOK_EVERY_MS = 5_000;

export interface LedgerLossOptions {
  readonly stage: Stage;
  readonly crew: Crew;
  readonly films: readonly DrillProduction[];
  readonly folder: string;
}

/** Takes backups while the films are rendered, deletes all records, and restores the last backup. */
export interface LedgerLoss {
  /** Runs work that needs the store's records. A loss waits until it has ended. */
  withRecords<T>(work: () => Promise<T>): Promise<T>;
  /** Kills all workers, deletes the records, and restores the last backup. Then workers start again. */
  strike(): Promise<void>;
  count(): number;
  /** The takes as they were right before each loss. */
  forgotten(): readonly ReckonedTake[];
  /** Ends the backups and rebuilds the ledger from the histories. Call it when all films have ended. */
  close(): Promise<void>;
}

/** Starts the backups, and the steps that a person takes after a restore. */
export async function createLedgerLoss({ stage, crew, films, folder }: LedgerLossOptions): Promise<LedgerLoss> {
  const { store, sandbox, temporal } = stage;
  const closing = new AbortController();
  const atWork = new Set<Promise<unknown>>();
  const forgotten: ReckonedTake[] = [];
  /** Resolves when the records are there. */
  let back: Promise<void> = Promise.resolve();
  let losses = 0;
  let backups = 0;
  let restoredAtMs: number | undefined;

  async function withRecords<T>(work: () => Promise<T>): Promise<T> {
    for (let waited; waited !== back;) await (waited = back);
    const working = work();
    atWork.add(working);
    try {
      return await working;
    } finally {
      atWork.delete(working);
    }
  }

  const backupFile = (n: number): string => join(folder, `backup-${n}`);

  async function takeBackup(): Promise<void> {
    await writeBackup(store, backupFile(backups + 1));
    backups += 1;
  }

  async function loseAndRestore(): Promise<void> {
    await Promise.allSettled(atWork);
    await crew.withoutWorkers(async () => {
      forgotten.push(...(await takesInStore(store, films)));
      await loseRecords(store.folder);
      await restoreBackup(store.folder, backupFile(backups), { nothingSentSince: false });
    });
    losses += 1;
    restoredAtMs = Date.now();
  }

  /** Number of tasks on the gateway's list that the ledger does not have, not even as an unclear take. */
  async function unknownTasks(): Promise<number> {
    const takes = (await takesInStore(store, films)).map(({ history }) => history);
    const known = new Set(takes.flatMap(tasksOf));
    const unclear = new Set(
      takes
        .filter(({ sendings }) => sendings.some((one) => one.unclear !== undefined && !('restored' in one.unclear)))
        .map(({ intent }) => intent.takeKey),
    );
    return sandbox.tasks().filter(({ id, idempotencyKey }) => !known.has(id) && !unclear.has(idempotencyKey ?? ''))
      .length;
  }

  /** As `dailies ledger ID --rebuild` for each production. */
  async function rebuild(): Promise<void> {
    for (const { frozen } of films) {
      await rebuildLedger({ store, account: DRILL_ACCOUNT, production: frozen.id, temporal: temporal.client });
    }
  }

  /**
   * As `dailies ledger --nothing-sent-since-backup`, once the ledger has every task on the gateway's list. Requests on
   * the wire have reached the gateway by then.
   */
  async function lookAfterRestore(): Promise<void> {
    if (restoredAtMs === undefined || Date.now() - restoredAtMs < LOOK_INTO_AFTER_MS) return;
    if ((await unknownTasks()) > 0) await rebuild();
    if ((await unknownTasks()) > 0) return;
    await clearRestored(store.records, store.ledger);
    restoredAtMs = undefined;
  }

  async function everyMs(ms: number, work: () => Promise<void>): Promise<void> {
    while (!closing.signal.aborted) {
      // Temporal may be down. The next turn does it.
      await withRecords(work).catch(() => undefined);
      await sleep(ms, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  await takeBackup();
  const loops = [everyMs(BACKUP_EVERY_MS, takeBackup), everyMs(LOOK_EVERY_MS, lookAfterRestore)];
  return {
    withRecords,
    async strike() {
      const before = back;
      back = before.then(loseAndRestore);
      await back;
    },
    count: () => losses,
    forgotten: () => forgotten,
    async close() {
      closing.abort();
      await Promise.all(loops);
      // Work that a restore interrupted has ended, so the histories are complete.
      if (losses > 0) await withRecords(rebuild);
    },
  };
}
