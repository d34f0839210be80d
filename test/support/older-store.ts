import { cp } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder';

const OLDER_STORE = join(__dirname, '..', 'deploy', 'older-store');

/** Texts of the older version and their present wording. */
const REWORDED = [
  ['nothing runs now, and what is left waits', 'the rest waits'],
  [
    'Nobody can say whether the gateway accepted it. It is never sent again by itself.',
    'It is not known whether the gateway accepted the take. Only a decision or `onUnclear` sends it again.',
  ],
  [
    'Temporal does not run: only archived histories were read',
    'Temporal is not running: only archived histories were read',
  ],
] as const;

/** What the older version printed of the store, by the command's arguments, `--json` left out. */
export interface Fact {
  readonly args: string;
  readonly exitCode: number;
  readonly answer: unknown;
}

/** A copy of everything that an older version has left: store, gateway, files, backup. See its README. */
export async function copyOlderStore(): Promise<string> {
  const folder = await temporaryFolder();
  await cp(OLDER_STORE, folder, { recursive: true });
  return folder;
}

/** @param folder the copy, whose paths the facts then name. */
export function olderFacts(folder: string): readonly Fact[] {
  const recorded = readFileSync(join(OLDER_STORE, 'facts.jsonl'), 'utf8').replaceAll(
    '/tmp/film/store/',
    `${folder}/store/`,
  );
  return REWORDED.reduce((lines, [before, now]) => lines.replaceAll(before, now), recorded)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Fact);
}
