import { type Priority } from '../../contracts/gateway/arbiter';
import { type BatchBounds, DEFAULT_PARALLEL } from '../../contracts/render/batch';
import { ROWS_PER_PAGE } from '../../contracts/render/batch-page';
import { GENERATIONS, ID_PATTERN, toId } from '../../contracts/identifiers';
import { type ReadyByRule } from '../../contracts/file/ready-by';
import { type RunValues } from '../../contracts/file/run-values';
import { fillTexts } from '../../contracts/file/template';
import { type Notify } from '../../contracts/file/notify';
import { type CheckPolicy, NO_NOTIFY_SECRET, openGenerationCheck, SHOTS_OWN } from '../production-file';
import { variableFindings } from '../production-file/run-variables';
import { shown } from '../wording/phrases';
import { type BatchSource, nameOf, type OpenedBatch, openBatchSource } from './batch-source';
import { type Add, checkOne, checkPage, type CheckedRow, type Keyed } from './check-rows';
import { type FilledRow, filledRow } from './filled-row';
import { isIssue } from './raw-row';
import { FIRST_LINE, gatherIssues, type RowIssue, type RowIssues } from './row-issue';
import { openKeyCheck, writtenKey } from './row-key';
import { openSharedFallback, type SharedFallback } from './shared-fallback';
import { openSpool, type Spool } from './spool';

/** A batch without errors. `close` removes the temporary file that holds its rows. */
export interface CheckedBatch {
  readonly id: string;
  readonly title: string;
  readonly parallel: number | null;
  readonly stopAfterFailures: number | null;
  readonly priority: Priority | null;
  readonly notify: Notify | null;
  readonly readyBy: ReadyByRule | null;
  /** Whether the file has a `fallback` for rows that would be late. */
  readonly hasFallback: boolean;
  /** Absolute path of the table that the batch names in `rows`; null if the batch names no table. */
  readonly rowsFile: string | null;
  readonly rows: number;
  read(): AsyncIterable<CheckedRow>;
  close(): Promise<void>;
}

export type LoadedBatch =
  | { readonly ok: true; readonly batch: CheckedBatch }
  | { readonly ok: false; readonly issues: readonly RowIssue[]; readonly count: number };

export interface CheckBatchOptions {
  /** Replaces the file's own id. */
  readonly id?: string;
  readonly policy: CheckPolicy;
  /**
   * The longest values of a scheduled run's variables. If given, texts may contain those variables. Rows are also
   * checked with these values filled in, but are kept as written.
   */
  readonly run?: RunValues;
}

/**
 * Checks a whole batch, including the models and files that its rows name. Sends and stores nothing.
 *
 * Rows are read and checked page by page, so that a large table need not fit into memory.
 *
 * @param from path of the batch file, or an opened batch.
 */
export async function checkBatch(
  from: string | OpenedBatch,
  { id, policy, run }: CheckBatchOptions,
): Promise<LoadedBatch> {
  const source = typeof from === 'string' ? await openBatchSource(from) : from;
  if ('issues' in source) return { ok: false, issues: source.issues, count: source.issues.length };
  const issues = gatherIssues();
  const batchId = id ?? source.settings.id ?? (source.isGiven === true ? '' : toId(nameOf(source.file)));
  checkId(batchId, source, issues);
  checkNotify(source, policy, issues);
  checkDefaults(source, issues);
  const shared = openSharedFallback(source, issues);
  const spool = await openSpool<CheckedRow>();
  let isKept = false;
  try {
    const rows = await checkRows(source, { batchId, policy, run, issues, spool, shared });
    shared.close();
    if (issues.count() > 0) return { ok: false, issues: issues.list(), count: issues.count() };
    const { title = batchId, parallel = null, stopAfterFailures = null } = source.settings;
    const { priority = null, notify = null } = source.settings;
    isKept = true;
    return {
      ok: true,
      batch: {
        id: batchId,
        title,
        parallel,
        stopAfterFailures,
        priority,
        notify,
        readyBy: shared.readyBy,
        hasFallback: shared.fallback !== undefined,
        rowsFile: source.rowsFile,
        rows,
        read: () => spool.read(),
        close: () => spool.remove(),
      },
    };
  } finally {
    // Also runs if a program's iterator of rows throws.
    if (!isKept) await spool.remove();
  }
}

/** The bounds that a batch file sets, or else their defaults. */
export function rulesOfFile({ parallel, stopAfterFailures, priority }: CheckedBatch): BatchBounds {
  return {
    parallel: parallel ?? DEFAULT_PARALLEL,
    stopAfterFailures,
    ...(priority === null ? {} : { priority }),
  };
}

interface CheckContext {
  readonly batchId: string;
  readonly policy: CheckPolicy;
  readonly run: RunValues | undefined;
  readonly issues: RowIssues;
  readonly spool: Spool<CheckedRow>;
  readonly shared: SharedFallback;
}

/** @returns the number of rows. */
async function checkRows(
  source: BatchSource,
  { batchId, policy, run, issues, spool, shared }: CheckContext,
): Promise<number> {
  const { settings, folder, template, file, isGiven = false } = source;
  const generations = await openGenerationCheck({ ...settings, folder, policy });
  const wrongKey = openKeyCheck(batchId);
  const add = once(issues);
  let count = 0;
  let page: Keyed[] = [];

  async function flush(): Promise<void> {
    const checked = await asFilled(run, page, (rows) =>
      checkPage(generations, rows, { add, shared, given: isGiven ? file : null }),
    );
    if (issues.count() === 0) for (const row of checked) await spool.put(row);
    page = [];
  }

  for await (const read of source.rows) {
    if (isIssue(read)) {
      issues.add(read);
      continue;
    }
    count += 1;
    const row = filledRow(read, template, run === undefined ? [] : Object.keys(run));
    row.lacks.forEach(add);
    const isProduction = source.areProductions ?? Object.hasOwn(row.values, 'shots');
    if (run !== undefined) variableIssues(row, isProduction, Object.keys(run)).forEach(add);
    const { key, issues: ofKey } = keyOf(row, isProduction, wrongKey);
    ofKey.forEach(add);
    const keyed = { row, key };
    if (isProduction) {
      await flush();
      const checked = await asFilled(run, [keyed], async ([one = keyed]) =>
        [await checkOne(one, { folder, policy }, { add, shared, readyBy: settings.readyBy })].filter(
          (row) => row !== undefined,
        ),
      );
      if (issues.count() === 0) for (const row of checked) await spool.put(row);
    } else if (page.push(keyed) === ROWS_PER_PAGE) await flush();
  }
  await flush();
  return count;
}

/**
 * Checks rows as written. For a scheduled run, first checks them with the run's variables filled in.
 *
 * @returns the checked rows as written; none if the check with the run's variables finds an error.
 */
async function asFilled(
  run: RunValues | undefined,
  rows: readonly Keyed[],
  check: (rows: readonly Keyed[]) => Promise<readonly CheckedRow[]>,
): Promise<readonly CheckedRow[]> {
  if (run !== undefined) {
    const filled = rows.map(({ row, key }) => ({ key, row: { ...row, values: fillTexts(row.values, run) } }));
    if ((await check(filled)).length < rows.length) return [];
  }
  return check(rows);
}

/** Issues for unknown variables, and for variables in values that are read before a run exists. */
function variableIssues(row: FilledRow, isProduction: boolean, names: readonly string[]): readonly RowIssue[] {
  const value = isProduction ? row.values : { shots: [row.values] };
  return variableFindings(value, names).flatMap(({ path, message }) =>
    row.issuesAt(isProduction ? path : path.slice(2), message),
  );
}

/** Returns an empty key if the key is missing or wrong. */
function keyOf(
  { raw, values, ...row }: FilledRow,
  isProduction: boolean,
  wrongKey: ReturnType<typeof openKeyCheck>,
): { readonly key: string; readonly issues: readonly RowIssue[] } {
  const name = isProduction && !Object.hasOwn(values, 'key') ? 'id' : 'key';
  const written = values[name];
  const wrongAt = (path: readonly string[], message: string) => ({ key: '', issues: row.issuesAt(path, message) });
  if (written === undefined || written === '') {
    const needed = isProduction ? 'a production of a batch needs an id' : 'each row needs a key, which names it';
    return wrongAt(Object.hasOwn(values, name) ? [name] : [], `${name} is missing; ${needed}`);
  }
  const key = writtenKey(written);
  if (key === undefined) return wrongAt([name], `${name} is ${shown(written)}; it must be text`);
  const wrong = wrongKey(key, raw.row, isProduction);
  return wrong === undefined ? { key, issues: [] } : wrongAt([name], wrong);
}

function checkId(batchId: string, { file, isGiven = false }: BatchSource, issues: RowIssues): void {
  const add = (message: string): void => {
    issues.add({ file, ...(isGiven ? { line: 0, place: 'id' } : { line: 1 }), row: null, column: null, message });
  };
  if (batchId === '' && isGiven) add('id is missing; set id in the batch or as an option');
  else if (batchId === '') add(`no id can be made from the file name; give one by --id or as id: my-batch`);
  else if (!ID_PATTERN.test(batchId)) add(`${shown(batchId)} is no id; it must match ${ID_PATTERN.source}`);
  else if (batchId.toLowerCase() === GENERATIONS) {
    add(`the id ${shown(batchId)} is kept for single generations; give another, by --id or as id: my-batch`);
  }
}

function checkNotify(
  { file, settings: { notify, placeOf = FIRST_LINE } }: BatchSource,
  { signsNotices = true }: CheckPolicy,
  issues: RowIssues,
): void {
  if (notify === undefined || signsNotices) return;
  issues.add({ file, ...placeOf(['notify']), row: null, column: null, message: `notify: ${NO_NOTIFY_SECRET}` });
}

/** Refuses defaults that only shots have. A value that changes nothing, such as `takes: 1`, is accepted. */
function checkDefaults(
  { file, settings: { defaults, placeOf = FIRST_LINE }, areProductions }: BatchSource,
  issues: RowIssues,
): void {
  if (areProductions === true) return;
  for (const name of SHOTS_OWN) {
    const value = defaults[name];
    if (value === undefined || value === 1 || value === false) continue;
    const message =
      `defaults.${name} is for the shots of a production, and each row is a single task; remove it. ` +
      "Defaults of rows are model, the model's parameters, deadline, retryFailed and onFailure";
    issues.add({ file, ...placeOf(['defaults', name]), row: null, column: null, message });
  }
}

/** Reports an error in a table's head or in a template once, not for each row. */
function once(issues: RowIssues): Add {
  const said = new Set<string>();
  return (issue) => {
    if (issue.row === null) {
      const name = JSON.stringify(issue);
      if (said.has(name)) return;
      said.add(name);
    }
    issues.add(issue);
  };
}
