import { type FallbackInFile } from '../../contracts/file/production';
import {
  type CheckedShot,
  fallbackPath,
  type GenerationCheck,
  type GenerationValues,
  NO_VIDEO,
} from '../production-file';
import { type Path } from '../wording/finding';

/** Rows with the batch's fallback applied. */
export interface LoweredRows {
  /** By index of the row. An entry is undefined or absent if the batch has no fallback or the row makes no video. */
  readonly withFallback: readonly (CheckedShot | undefined)[];
  /** Errors of the fallback; `row` is the row's index. If there are any, `withFallback` must not be used. */
  readonly errors: readonly { readonly row: number; readonly path: Path; readonly message: string }[];
}

/** Checks the rows that make video, each with the fallback's values in place of its own. */
export async function lowerRows(
  check: GenerationCheck,
  rows: readonly GenerationValues[],
  shots: readonly CheckedShot[],
  fallback: FallbackInFile | undefined,
): Promise<LoweredRows> {
  const videos = shots.flatMap(({ model }, index) => (model.output === 'video' ? [index] : []));
  if (fallback === undefined || videos.length === 0) return { withFallback: [], errors: [] };
  // A row always has one take, so the fallback's `takes` does not apply.
  const changes = Object.fromEntries(Object.entries(fallback).filter(([name]) => name !== 'takes'));
  const names = Object.keys(changes);
  const tried = videos.flatMap((index) => {
    const { values, cells } = rows[index] ?? { values: {}, cells: new Set<string>() };
    const kept = new Set([...cells].filter((name) => !names.includes(name)));
    return [{ values: { ...values, ...changes }, cells: kept }];
  });
  const checked = await check.check(tried);
  if ('findings' in checked) {
    const errors = checked.findings.map(({ row, name, message }) => {
      const field = (name ?? '').replace(/^defaults\./, '');
      return { row: videos[row ?? 0] ?? 0, path: fallbackPath(field, changes), message };
    });
    return { withFallback: [], errors };
  }
  const fallbackShots = new Map(checked.shots.flatMap((shot, nth) => [[videos[nth] ?? 0, shot] as const]));
  const errors = [...fallbackShots].flatMap(([row, { model }]) =>
    model.output === 'video' ? [] : [{ row, path: ['fallback', 'model'], message: NO_VIDEO }],
  );
  return { withFallback: shots.map((_, index) => fallbackShots.get(index)), errors };
}
