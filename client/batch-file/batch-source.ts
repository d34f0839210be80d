import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, relative, resolve } from 'node:path';
import { type BatchContent, BATCH_CONTENTS, BatchFile, holdsBatch } from '../../contracts/file/batch-file';
import { type Finding, type Path } from '../wording/finding';
import { schemaFindings } from '../production-file/text/schema-findings';
import { readSourceText, type SourceText } from '../production-file/text/source-text';
import { absolute, workingFolder } from '../wording/working-folder';
import { errorCode } from '../../store';
import { type RawRow, type RawRows } from './raw-row';
import { readCsv } from './read-csv';
import { readJsonl } from './read-jsonl';
import { type RowIssue, type RowPlace } from './row-issue';

/** The values of a batch file other than its rows and its template. */
export type BatchSettings = Pick<
  BatchFile,
  'id' | 'title' | 'parallel' | 'stopAfterFailures' | 'priority' | 'notify' | 'readyBy' | 'fallback'
> & {
  /** Returns the place of a value in the file or object; absent if the file has rows only. */
  readonly placeOf?: (path: Path) => RowPlace;
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly models: NonNullable<BatchFile['models']>;
};

/** A generation or production with placeholders, which each row fills with its values. */
export interface Template {
  readonly makes: 'generation' | 'production';
  readonly file: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** Returns the place of a value in the template. */
  placeOf(path: Path): RowPlace;
}

/** A batch, split into its settings, its template and its rows. A table is read only while `rows` is iterated. */
export interface BatchSource {
  /** The path as the person wrote it; `batch` if a program gave the batch. */
  readonly file: string;
  /** Whether a program gave the batch as an object. Default: false. */
  readonly isGiven?: boolean;
  /** Relative paths start at this folder. */
  readonly folder: string;
  readonly settings: BatchSettings;
  readonly template: Template | null;
  /** True if all rows are productions, false if none is. If null, the rows with `shots` are productions. */
  readonly areProductions: boolean | null;
  readonly rows: RawRows;
  /** Absolute path of the table that the batch names in `rows`; null if the batch holds its rows itself. */
  readonly rowsFile: string | null;
}

/** A batch, or the errors for which it cannot be opened. */
export type OpenedBatch = BatchSource | { readonly issues: readonly RowIssue[] };

/** Limits of a YAML or JSON file, which is read whole. A table is streamed, so its size has no limit. */
const MAX_SIZE_BYTES = 32 * 1024 * 1024;
const MOST_TOKENS = 8_000_000;

const NO_SETTINGS: BatchSettings = { defaults: {}, models: {} };

/**
 * Opens a batch file in the format of its extension. The values in its rows are not checked here. A table is opened
 * when its rows are read, and yields its errors among the rows.
 */
export async function openBatchSource(file: string): Promise<OpenedBatch> {
  const path = absolute(file);
  const table = tableOf(file, path);
  const plain = { file, folder: dirname(path), settings: NO_SETTINGS, template: null, rowsFile: null };
  if (table !== undefined) return { ...plain, areProductions: null, rows: table };
  const extension = extname(path).toLowerCase();
  if (!['.yaml', '.yml', '.json'].includes(extension)) {
    const message = `a batch is a file in CSV (.csv, .tsv), JSONL (.jsonl) or YAML (.yaml, .json), and this ends in "${extension}"`;
    return { issues: [wholeFile(file, message)] };
  }
  const text = await wholeText(path);
  if ('message' in text) return { issues: [wholeFile(file, text.message)] };
  return fromText(file, path, readSourceText(text.text, MOST_TOKENS));
}

/**
 * Whether a file is a batch rather than a production. A file with the extension of a table is a batch; for other files
 * the content decides. If the content cannot be read, the file counts as a production, whose check reports the error.
 */
export async function isBatchFile(file: string): Promise<boolean> {
  const path = absolute(file);
  if (tableOf(file, path) !== undefined) return true;
  const text = await wholeText(path);
  if ('message' in text) return false;
  const source = readSourceText(text.text, MOST_TOKENS);
  return source.readable && (Array.isArray(source.value) || holdsBatch(source.value));
}

/** The part of a file's name from which the default id of a batch is made. */
export function nameOf(file: string): string {
  return basename(file, extname(file));
}

function fromText(file: string, path: string, source: SourceText): OpenedBatch {
  const issueAt = (line: number, message: string): RowIssue => ({ file, line, row: null, column: null, message });
  if (!source.readable || source.issues.length > 0) {
    return { issues: source.issues.map(({ line, message }) => issueAt(line, message)) };
  }
  const lineOf = (at: Path): number => source.positionOf({ path: at, at: 'value' }).line;
  const rowsAt = (list: readonly Readonly<Record<string, unknown>>[], at: Path): RawRows =>
    inOrder(
      list.map((values, index) => ({ file, line: lineOf([...at, index]), row: index + 1, values, isTable: false })),
    );
  const folder = dirname(path);
  if (Array.isArray(source.value)) {
    const list = source.value as unknown[];
    const wrong = list.findIndex((one) => typeof one !== 'object' || one === null || Array.isArray(one));
    if (wrong !== -1) return { issues: [{ ...issueAt(lineOf([wrong]), 'a row must be a map'), row: wrong + 1 }] };
    const rows = rowsAt(list as Record<string, unknown>[], []);
    return { file, folder, settings: NO_SETTINGS, template: null, areProductions: null, rows, rowsFile: null };
  }
  const placeOf: ValueOrigin['placeOf'] = (found) => ({ line: source.positionOf(found).line });
  return fromValue(source.value, { file, folder, placeOf, rowsAt });
}

/** The origin of a batch: a parsed file, or an object that a program gave. */
export interface ValueOrigin extends Pick<BatchSource, 'file' | 'folder' | 'isGiven'> {
  readonly placeOf: (found: Pick<Finding, 'path' | 'at'>) => RowPlace;
  /** The rows of the list at a path. */
  readonly rowsAt: (list: readonly Readonly<Record<string, unknown>>[], at: readonly [ListName]) => RawRows;
}

/** Keys of a batch under which its rows can be listed. */
export type ListName = 'generations' | 'productions' | 'rows';

/** Checks a batch against the schema of batch files, and splits it into settings, template and rows. */
export function fromValue(value: unknown, { placeOf: placeOfFinding, rowsAt, ...origin }: ValueOrigin): OpenedBatch {
  const { file, folder } = origin;
  const whole = { file, row: null, column: null };
  const findings = schemaFindings(BatchFile, value);
  if (findings.length > 0) {
    return { issues: findings.map((found) => ({ ...whole, ...placeOfFinding(found), message: found.message })) };
  }
  const batch = BatchFile.parse(value);
  const placeOf = (path: Path): RowPlace => placeOfFinding({ path, at: 'value' });
  const settings = settingsOf(batch, placeOf);
  const content = contentOf(batch);
  if (content === 'generations' || content === 'productions') {
    const rows = rowsAt(batch[content] ?? [], [content]);
    return { ...origin, settings, template: null, areProductions: content === 'productions', rows, rowsFile: null };
  }
  const template = {
    makes: content,
    file,
    value: batch[content] ?? {},
    placeOf: (path: Path) => placeOf([content, ...path]),
  };
  const rows = templateRows(batch.rows ?? [], folder, (list) => rowsAt(list, ['rows']));
  if (rows === undefined) {
    const message = `rows is ${JSON.stringify(batch.rows)}; it must be the path of a CSV (.csv, .tsv) or JSONL (.jsonl) file, or a list`;
    return { issues: [{ ...whole, ...placeOf(['rows']), message }] };
  }
  const rowsFile = typeof batch.rows === 'string' ? resolve(folder, batch.rows) : null;
  return { ...origin, settings, template, areProductions: content === 'production', rows, rowsFile };
}

function settingsOf(batch: BatchFile, placeOf: (path: Path) => RowPlace): BatchSettings {
  const { id, title, parallel, stopAfterFailures, priority, notify, readyBy, fallback } = batch;
  const { defaults = {}, models = {} } = batch;
  return {
    ...(id === undefined ? {} : { id }),
    ...(title === undefined ? {} : { title }),
    ...(parallel === undefined ? {} : { parallel }),
    ...(stopAfterFailures === undefined ? {} : { stopAfterFailures }),
    ...(priority === undefined ? {} : { priority }),
    ...(notify === undefined ? {} : { notify }),
    ...(readyBy === undefined ? {} : { readyBy }),
    ...(fallback === undefined ? {} : { fallback }),
    placeOf,
    defaults,
    models,
  };
}

function contentOf(batch: BatchFile): BatchContent {
  const content = BATCH_CONTENTS.find((name) => batch[name] !== undefined);
  if (content === undefined) throw new RangeError(`a batch must have one of ${BATCH_CONTENTS.join(', ')}`);
  return content;
}

function templateRows(
  rows: NonNullable<BatchFile['rows']>,
  folder: string,
  rowsOf: (list: readonly Readonly<Record<string, unknown>>[]) => RawRows,
): RawRows | undefined {
  if (typeof rows !== 'string') return rowsOf(rows);
  const path = resolve(folder, rows);
  return tableOf(relative(workingFolder(), path), path);
}

function tableOf(file: string, path: string): RawRows | undefined {
  switch (extname(path).toLowerCase()) {
    case '.csv':
    case '.tsv':
      return readCsv(file, path);
    case '.jsonl':
    case '.ndjson':
      return readJsonl(file, path);
    default:
      return undefined;
  }
}

async function* inOrder(rows: readonly RawRow[]): AsyncGenerator<RawRow> {
  for (const row of rows) yield await Promise.resolve(row);
}

function wholeFile(file: string, message: string): RowIssue {
  return { file, line: 1, row: null, column: null, message };
}

async function wholeText(path: string): Promise<{ readonly text: string } | { readonly message: string }> {
  const tooLarge = (bytes: number): { readonly message: string } => ({
    message: `the file has ${bytes} bytes, but a YAML or JSON file may have at most ${MAX_SIZE_BYTES}; put the rows in a CSV or JSONL file`,
  });
  let bytes: Buffer;
  try {
    const { size } = await stat(path);
    if (size > MAX_SIZE_BYTES) return tooLarge(size);
    bytes = await readFile(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return { message: 'there is no such file' };
    if (code === 'EISDIR') return { message: 'this is no file; name a CSV, JSONL, YAML or JSON file' };
    return { message: `the file cannot be read (${code ?? String(error)})` };
  }
  if (bytes.length > MAX_SIZE_BYTES) return tooLarge(bytes.length);
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { message: 'the file is no UTF-8 text; save it in that encoding' };
  }
}
