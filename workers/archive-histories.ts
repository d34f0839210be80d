import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { archiveHistories } from '../client/books';
import { workflowQueue } from '../contracts/task-queues';
import { accountHash, type Store } from '../store';
import { type NativeConnection } from './worker-package';

/** Shots are archived soon after they close, so that little is left to do when a worker stops. */
const SWEEP_EVERY_MS = 10_000;

/** Temporal's index of closed workflows lags behind: each sweep looks back beyond the one before. */
const LOOK_BACK_MS = 60_000;

/** Runs that are remembered as archived; forgetting them costs a look for each. */
const MOST_KNOWN = 10_000;

/** A worker that is told to stop gives the last histories this long; the rest is archived by the next worker. */
const LAST_SWEEP_MS = 2_000;

export interface ArchivingOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly store: Store;
  readonly account: string;
  readonly onNotice: (line: string) => void;
}

export interface Archiving {
  /** Archives what has closed meanwhile, within its time, and ends. Never fails. */
  stop(): Promise<void>;
}

/**
 * Archives the histories of closed productions and shots, in the background, as long as a worker runs.
 *
 * Nobody waits for it but the worker's own end, and that not for long; what it misses, the next worker finds.
 */
export function startArchiving({ connection, namespace, store, account, onNotice }: ArchivingOptions): Archiving {
  const temporal = new Client({ connection, namespace });
  const taskQueue = workflowQueue({ account: accountHash(account), storeId: store.id });
  const stopping = new AbortController();
  const known = new Set<string>();
  let since: Date | undefined;
  let told = false;

  async function sweep(signal: AbortSignal): Promise<void> {
    const begunAt = Date.now();
    try {
      if (known.size > MOST_KNOWN) known.clear();
      await archiveHistories({ temporal, store, taskQueue, ...(since === undefined ? {} : { since }), signal, known });
      since = new Date(begunAt - LOOK_BACK_MS);
    } catch (error) {
      // Temporal or the disk is away: the next sweep looks as far back as this one would have.
      if (!told) onNotice(`histories are not archived: ${error instanceof Error ? error.message : String(error)}`);
      told = true;
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await sweep(stopping.signal);
      await sleep(SWEEP_EVERY_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      const giveUp = AbortSignal.timeout(LAST_SWEEP_MS);
      await Promise.race([running.then(() => sweep(giveUp)), sleep(LAST_SWEEP_MS, undefined, { ref: false })]);
    },
  };
}
