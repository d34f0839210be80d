import { type RowEnd } from '../../contracts/render/batch';
import { type PageRow } from '../../contracts/render/batch-page';
import { type RowState } from '../../contracts/states';
import { readText, type Store } from '../../store';

export interface RowResult {
  readonly row: Pick<PageRow, 'key'>;
  readonly state: RowState | 'pending' | 'under way';
  /** Null if the row has not ended, or was changed since its last end. */
  readonly end: RowEnd | null;
}

/** A row's result with the absolute path of its output, and with the output itself if it is text. */
interface CollectedResult extends RowResult {
  readonly path: string | null;
  readonly text: string | null;
}

type Cell = string | number | boolean | null;

/** The columns of a result, in order. Other programs read them, so new columns go to the end and no column changes. */
const COLUMNS = {
  key: ({ row }) => row.key,
  state: ({ state }) => state,
  reason: ({ end }) => end?.reason ?? null,
  path: ({ path }) => path,
  text: ({ text }) => text,
  take: ({ end }) => end?.take ?? null,
  taskId: ({ end }) => end?.taskId ?? null,
  credits: ({ end }) => end?.credits ?? null,
  mediaType: ({ end }) => end?.asset?.mediaType ?? null,
  sha256: ({ end }) => end?.asset?.sha256 ?? null,
  sizeBytes: ({ end }) => end?.asset?.sizeBytes ?? null,
  durationSeconds: ({ end }) => end?.asset?.durationSeconds ?? null,
  width: ({ end }) => end?.asset?.width ?? null,
  height: ({ end }) => end?.asset?.height ?? null,
  at: ({ end }) => end?.at ?? null,
  /** Whether the row, or any shot of its production, used the fallback. */
  fallback: ({ end }) => end?.fallback === true,
} satisfies Readonly<Record<string, (result: CollectedResult) => Cell>>;

const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

/** A row in `results.jsonl`: all columns. */
export type ResultLine = { readonly [Name in keyof typeof COLUMNS]: ReturnType<(typeof COLUMNS)[Name]> };

export async function resultLine(
  { assets }: Pick<Store, 'assets'>,
  result: RowResult,
  path: string | null,
): Promise<ResultLine> {
  const asset = result.end?.asset ?? null;
  const isText = asset?.mediaType === 'text/plain' && (await assets.has(asset));
  const collected = { ...result, path, text: isText ? await readText(assets, asset) : null };
  return Object.fromEntries(NAMES.map((name) => [name, COLUMNS[name](collected)])) as ResultLine;
}

/** Columns that are only in `results.jsonl`: people do not read them. */
const NOT_IN_TABLE: readonly (keyof ResultLine)[] = ['sha256', 'sizeBytes'];

const TABLE_COLUMNS = NAMES.filter((name) => !NOT_IN_TABLE.includes(name));

export const TABLE_HEAD = TABLE_COLUMNS.join(',');

/** The columns of the oldest version, with which the first line of each table begins. */
export const OLDEST_TABLE_HEAD = TABLE_COLUMNS.slice(0, TABLE_COLUMNS.indexOf('at') + 1).join(',');

/**
 * A row of the CSV table. It contains no line end. So a spreadsheet shows the row in one line, and a line that a crash
 * cut off can be detected.
 */
export function tableLine(line: ResultLine): string {
  return TABLE_COLUMNS.map((column) => cell(line[column])).join(',');
}

/**
 * Tabs and line ends, including those of Unicode, each with the white space after it. White space before a line end
 * stays: matching it would take quadratic time on long runs of spaces.
 */
const LINE_ENDS = /[\t\r\n\v\f\u0085\u2028\u2029]\s*/g;

/**
 * The positions at which a spreadsheet could begin a formula: at the start of a cell, or after a semicolon, which some
 * programs treat as a delimiter. The sign that begins a formula may be full-width, and may follow characters that some
 * programs skip.
 */
const FORMULAS = /(^|;)(?=[\s\p{C}"']*[=+\-@|%\uff1d\uff0b\uff0d\uff20])/gu;

/**
 * The cell in quotes, so that commas and quotes in its text do not end the cell. An apostrophe precedes text that a
 * spreadsheet would take for a formula. `results.jsonl` has the text unchanged.
 */
function cell(value: Cell): string {
  if (typeof value !== 'string') return `"${value ?? ''}"`;
  return `"${value.replaceAll(LINE_ENDS, ' ').replaceAll(FORMULAS, "$1'").replaceAll('"', '""')}"`;
}
