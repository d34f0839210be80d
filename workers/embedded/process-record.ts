import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, ifPresent, replaceAtomically } from '../../store/disk/durable-file';
import { isAlive, isHere, isKnownAlive, type ProcessIdentity } from './process-identity';

/**
 * Records the processes of the embedded set (Temporal server, sandbox, worker) on disk. If a crash kills both the
 * supervisor and temporal-main.ts, the Temporal server continues to write to its database. The next set must end this
 * server before opening the database.
 */

/** Time for the processes of a set without a supervisor to end by themselves. After that they are killed. */
const GRACE_MS = 5_000;
const INTERVAL_MS = 25;

export interface ProcessRecord {
  add(started: ProcessIdentity): void;
  /** Resolves when every added process is on disk. Rejects if the last write failed. */
  saved(): Promise<void>;
}

/** Starts an empty record. First waits for the processes of the last record to end, and kills them after `GRACE_MS`. */
export async function openProcessRecord(file: string): Promise<ProcessRecord> {
  await endLeftovers(await readRecord(file));
  const processes: ProcessIdentity[] = [];
  let written = Promise.resolve();

  return {
    add: (started) => {
      processes.push(started);
      // Write all processes each time, so that the next write makes up for a failed write.
      written = written.catch(() => undefined).then(() => replaceAtomically(file, JSON.stringify(processes)));
      // While the set starts, `saved` reports the error. A set that runs continues without the record.
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
    if (Date.now() > killAt) left.filter(isKnownAlive).forEach(kill);
    await delay(INTERVAL_MS);
  }
}

function kill({ pid }: ProcessIdentity): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // The process has ended since the check.
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

/** @throws the system's error if the record exists and cannot be read: its processes may still run. */
async function readRecord(file: string): Promise<readonly ProcessIdentity[]> {
  const text = await ifPresent(readFile(file, 'utf8'));
  if (text === undefined) return [];
  try {
    return JSON.parse(text) as readonly ProcessIdentity[];
  } catch {
    // The disk lost the record in a power failure, which also ended the processes.
    return [];
  }
}
