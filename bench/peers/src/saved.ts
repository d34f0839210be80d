import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Folder with a file for each benchmark: the figures of its last saved run. docs/benchmarks.md links to the files. */
export const SAVED = join(__dirname, '..', '..', '..', 'docs', 'benchmarks');

/** Figures of one round, by name. The name includes the unit. */
export type Figures = Readonly<Record<string, number>>;

/** The saved rounds of one benchmark. */
export interface SavedWork {
  readonly work: string;
  readonly title: string;
  /** Version of each program that took part. */
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: string;
  /** Day of the run, such as `2026-01-31`. */
  readonly at: string;
  readonly rounds: number;
  /** Figures of every completed round, by contender. */
  readonly figures: Readonly<Record<string, readonly Figures[]>>;
  /** Why rounds failed or were skipped. */
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
