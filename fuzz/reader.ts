import { readFile } from 'node:fs/promises';
import { type TargetName, TARGETS } from './targets';
import { type Outcome } from './targets';

/** A test case that the fuzz run sends to a reader process. */
export interface Question {
  readonly target: TargetName;
  readonly path: string;
  readonly folder: string;
  readonly round: number;
}

export type Reply = { readonly outcome: Outcome } | { readonly failure: string };

/** The reader process. It reads one case after another, until the fuzz run ends it or a case crashes it. */
process.on('message', (question: Question) => {
  void look(question).then((reply) => process.send?.(reply));
});

async function look({ target, path, folder, round }: Question): Promise<Reply> {
  try {
    return { outcome: await TARGETS[target]({ path, bytes: await readFile(path), folder, round }) };
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
