import {
  checkProduction,
  type CheckedProduction,
  type CheckedShot,
  type CheckPolicy,
  type GenerationCheck,
} from '../production-file';
import { type FilledRow } from './filled-row';
import { lowerRows } from './with-fallback';
import { type RowIssue } from './row-issue';
import { type SharedFallback } from './shared-fallback';

export type CheckedRow =
  | {
      readonly kind: 'generation';
      readonly key: string;
      readonly shot: CheckedShot;
      /** The shot with the batch's fallback applied; absent if there is no fallback or the shot makes no video. */
      readonly lowered?: CheckedShot;
    }
  | { readonly kind: 'production'; readonly key: string; readonly production: CheckedProduction };

/** A row and its key. The key is empty if the row's own key is missing or wrong. */
export interface Keyed {
  readonly row: FilledRow;
  readonly key: string;
}

export type Add = (issue: RowIssue) => void;

export interface Findings {
  readonly add: Add;
  readonly shared: SharedFallback;
}

/**
 * Checks a page of rows that are single tasks.
 *
 * @param given if a program gave the batch: the name to report as `RowIssue.file` for values that all rows share. Null
 *   if the batch is a file.
 * @returns no rows if any of them has an error.
 */
export async function checkPage(
  check: GenerationCheck,
  page: readonly Keyed[],
  { add, shared, given }: Findings & { readonly given: string | null },
): Promise<readonly CheckedRow[]> {
  if (page.length === 0) return [];
  const rows = page.map(({ row: { values, cells } }) => ({ values: without(values, ['key']), cells }));
  const checked = await check.check(rows);
  if ('shots' in checked) {
    if (checked.shots.some(({ model }) => model.output === 'video')) shared.madeVideo();
    const { withFallback, errors } = await lowerRows(check, rows, checked.shots, shared.fallback);
    for (const { row, path, message } of errors) shared.doesNotFit(path, message, page[row]?.row.raw.row ?? 0);
    if (errors.length > 0) return [];
    return checked.shots.flatMap((shot, index) => {
      const [key, low] = [page[index]?.key ?? '', withFallback[index]];
      const row = { kind: 'generation', key, shot: { ...shot, id: key } } as const;
      return [low === undefined ? row : { ...row, lowered: { ...low, id: key } }];
    });
  }
  for (const { row: index, name, at, message } of checked.findings) {
    const row = (index === null ? page[0] : page[index])?.row;
    if (row === undefined) continue;
    const { file, isTable } = row.raw;
    if (index === null) add({ ...sharedPlace(given, file, name), row: null, column: null, message });
    // If `at` is `key`, the name itself is wrong. In a table, that is an error in the head, not in each row.
    else if (isTable && at === 'key' && name !== null) add({ file, line: 1, row: null, column: name, message });
    else row.issuesAt(name === null ? [] : [name], message).forEach(add);
  }
  return [];
}

function sharedPlace(
  given: string | null,
  file: string,
  name: string | null,
): Pick<RowIssue, 'file' | 'line' | 'place'> {
  return given === null ? { file, line: 1 } : { file: given, line: 0, place: name ?? undefined };
}

/**
 * Checks a row that is a production. The id `row` stands for the production's final id, which freezing builds from the
 * batch's id and the row's key.
 *
 * @returns undefined if the row has an error.
 */
export async function checkOne(
  { row, key }: Keyed,
  context: { readonly folder: string; readonly policy: CheckPolicy },
  { add, shared, readyBy }: Findings & { readonly readyBy: string | undefined },
): Promise<CheckedRow | undefined> {
  const values = without(row.values, ['key', 'id']);
  const title = values['title'] ?? (key === '' ? 'row' : key);
  const timed = withSharedTime(values, shared, readyBy);
  const isShared = (name: string): boolean => Object.hasOwn(timed, name) && !Object.hasOwn(values, name);
  const checked = await checkProduction(
    { ...timed, title, id: 'row' },
    { ...context, fallbackId: 'row', isFallbackShared: isShared('fallback') },
  );
  if ('production' in checked) {
    if (checked.production.shots.some(({ model }) => model.output === 'video')) shared.madeVideo();
    return { kind: 'production', key, production: checked.production };
  }
  for (const { path, message } of checked.findings) {
    if (isShared(String(path[0]))) shared.doesNotFit(path, message, row.raw.row);
    else row.issuesAt(path, message).forEach(add);
  }
  return undefined;
}

/** A production without `readyBy` gets the batch's `readyBy` and, if it has no fallback, the batch's fallback. */
function withSharedTime(
  values: FilledRow['values'],
  { fallback }: SharedFallback,
  readyBy: string | undefined,
): FilledRow['values'] {
  if (readyBy === undefined || Object.hasOwn(values, 'readyBy')) return values;
  return { readyBy, ...(fallback === undefined ? {} : { fallback }), ...values };
}

function without(values: FilledRow['values'], names: readonly string[]): FilledRow['values'] {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}
