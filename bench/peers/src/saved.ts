import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the raw figures of the last saved run of each work are, and the page that shows them. */
export const SAVED = join(__dirname, '..', '..', '..', 'docs', 'benchmarks');

/** Figures of one run of a work, by name; the unit stands in the name. */
export type Figures = Readonly<Record<string, number>>;

/** What is kept of the rounds of one work. */
export interface SavedWork {
  readonly work: string;
  readonly title: string;
  /** Which programs did it, with the version of each. */
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: string;
  /** Day of the last run. */
  readonly at: string;
  readonly rounds: number;
  /** Of every round that was done, by contender. */
  readonly figures: Readonly<Record<string, readonly Figures[]>>;
  /** In their words, where a round could not be done. */
  readonly failures: readonly string[];
}

export async function save(saved: SavedWork): Promise<void> {
  await mkdir(SAVED, { recursive: true });
  await writeFile(join(SAVED, `${saved.work}.json`), `${JSON.stringify(saved, undefined, 2)}\n`);
}

export async function savedWorks(): Promise<readonly SavedWork[]> {
  const found = await readdir(SAVED).catch(() => []);
  const names = found.filter((name) => name.endsWith('.json')).sort();
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(SAVED, name), 'utf8')) as SavedWork));
}
