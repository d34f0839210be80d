import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { replaceAtomically } from '../../store/durable-file';
import { isAlive, isHere, type ProcessIdentity } from './process-identity';

/**
 * The set's processes on disk, for the one crash after which nobody is left to end them: supervisor and guard killed
 * together leave a Temporal server that still writes to the database which the next set opens.
 */

/** Processes of a set whose supervisor is gone end by themselves within moments; a submit may be in flight. */
const GRACE_MS = 5_000;
const INTERVAL_MS = 25;

export interface ProcessRecord {
  add(started: ProcessIdentity): void;
  /** Resolves when all that was added is on disk; rejects where it cannot be written. */
  saved(): Promise<void>;
}

/** Starts an empty record, once everything that the last one names has ended. */
export async function openProcessRecord(file: string): Promise<ProcessRecord> {
  await endLeftovers(await readRecord(file));
  const processes: ProcessIdentity[] = [];
  let written = Promise.resolve();

  return {
    add: (started) => {
      processes.push(started);
      // All of them each time, so that a write that failed is made good by the next.
      written = written.catch(() => undefined).then(() => replaceAtomically(file, JSON.stringify(processes)));
      // For those who ask: a set that is up does not end for the lack of a record.
      written.catch(() => undefined);
    },
    saved: () => written,
  };
}

async function endLeftovers(recorded: readonly ProcessIdentity[]): Promise<void> {
  const killAt = Date.now() + GRACE_MS;
  for (;;) {
    const left = recorded.filter((process) => isHere(process) && isAlive(process));
    if (left.length === 0) return;
    if (Date.now() > killAt) for (const { pid } of left) process.kill(pid, 'SIGKILL');
    await delay(INTERVAL_MS);
  }
}

async function readRecord(file: string): Promise<readonly ProcessIdentity[]> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as readonly ProcessIdentity[];
  } catch {
    // None was written, or the disk lost it with the machine's power, and with it the processes.
    return [];
  }
}
