import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { archiveHistories } from '../client/books';
import { type Store } from '../store';
import { type NativeConnection } from './worker-package';

/** Pause between sweeps. It is short, so that little is left to archive when a worker stops. */
const SWEEP_EVERY_MS = 10_000;

/** Each sweep looks this far back before the start of the last successful sweep, since Temporal's index lags. */
const LOOK_BACK_MS = 60_000;

/** Maximum number of archived runs to remember. Above it, all are forgotten. A forgotten run costs one store read. */
const MOST_KNOWN = 10_000;

/** Time limit of the last sweep when a worker stops. */
const LAST_SWEEP_MS = 2_000;

export interface ArchivingOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly store: Store;
  /** The worker's own workflow queue. Only histories of this queue are archived. */
  readonly taskQueue: string;
  readonly onNotice: (line: string) => void;
}

export interface Archiving {
  /** Ends the archiving after one last sweep, which has a time limit. Never fails. */
  stop(): Promise<void>;
}

/**
 * Archives the histories of closed productions, batches, shots and single tasks in the background while a worker runs.
 *
 * When the worker stops, it waits for one last sweep, up to a time limit. The next worker archives the rest.
 */
export function startArchiving({ connection, namespace, store, taskQueue, onNotice }: ArchivingOptions): Archiving {
  const temporal = new Client({ connection, namespace });
  const stopping = new AbortController();
  const archivedRunIds = new Set<string>();
  let since: Date | undefined;
  let hasReported = false;

  async function sweep(signal: AbortSignal): Promise<void> {
    const begunAt = Date.now();
    try {
      if (archivedRunIds.size > MOST_KNOWN) archivedRunIds.clear();
      await archiveHistories({
        temporal,
        store,
        taskQueue,
        ...(since === undefined ? {} : { since }),
        signal,
        archivedRunIds,
      });
      // An aborted sweep has not looked at everything. The next sweep looks as far back as this one.
      if (signal.aborted) return;
      since = new Date(begunAt - LOOK_BACK_MS);
      hasReported = false;
    } catch (error) {
      // Histories may not be archived yet. The next sweep looks as far back as this one.
      if (!hasReported)
        onNotice(`histories are not archived: ${error instanceof Error ? error.message : String(error)}`);
      hasReported = true;
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
