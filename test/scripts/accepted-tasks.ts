import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFiles } from '../../workers/embedded/set-files';

/** Ids of the tasks that the sandbox of a folder's embedded set has accepted, from its journal. */
export function acceptedTasks(folder: string): readonly string[] {
  const journal = readFileSync(join(setFiles(join(folder, 'store')).sandbox, 'tasks.jsonl'), 'utf8');
  const lines = journal.split('\n').filter(Boolean);
  return [...new Set(lines.map((line) => (JSON.parse(line) as { id: string }).id))];
}
