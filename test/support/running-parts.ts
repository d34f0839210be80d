import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, type ProcessIdentity } from '../../workers/embedded/process-identity';
import { setFiles } from '../../workers/embedded/set-files';

/** The processes of the embedded set of the store below a test's folder. */
export function runningParts(folder: string): readonly ProcessIdentity[] {
  try {
    const text = readFileSync(setFiles(join(folder, 'store')).processes, 'utf8');
    return (JSON.parse(text) as ProcessIdentity[]).filter(isAlive);
  } catch {
    // No set was ever started.
    return [];
  }
}

export function killSet(folder: string): void {
  for (const { pid } of runningParts(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile, as parts do without their supervisor.
    }
  }
}
