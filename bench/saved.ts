import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Finding } from './finding';
import { type Machine } from './machine';

/** The last saved run of one measure, with all rounds. */
export interface SavedMeasure {
  readonly name: string;
  /** Day of the run, such as `2026-11-22`. */
  readonly date: string;
  readonly machine: Machine;
  readonly findings: readonly Finding[];
}

/** @param docs path of the folder `docs`. */
export async function saveMeasure(docs: string, saved: SavedMeasure): Promise<void> {
  const file = fileOf(docs, saved.name);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, `${JSON.stringify(saved, undefined, 2)}\n`);
}

export async function savedMeasure(docs: string, name: string): Promise<SavedMeasure | undefined> {
  const json = await readFile(fileOf(docs, name), 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  return json === undefined ? undefined : (JSON.parse(json) as SavedMeasure);
}

/** Path of a saved measure, relative to the folder `docs`. */
export function placeOf(name: string): string {
  return `benchmarks/alone/${name}.json`;
}

function fileOf(docs: string, name: string): string {
  return join(docs, placeOf(name));
}
