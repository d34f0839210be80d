import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, type ProcessIdentity } from '../../workers/embedded/process-identity';
import { setFiles } from '../../workers/embedded/set-files';

/** The running processes of the embedded set whose store is in a test's folder. */
export function runningParts(folder: string, store = 'store'): readonly ProcessIdentity[] {
  try {
    const text = readFileSync(setFiles(join(folder, store)).processes, 'utf8');
    return (JSON.parse(text) as ProcessIdentity[]).filter(isAlive);
  } catch {
    // No set was started.
    return [];
  }
}

export function killSet(folder: string, store?: string): void {
  for (const { pid } of runningParts(folder, store)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile, as parts do without their supervisor.
    }
  }
}
