import { readFile } from 'node:fs/promises';
import { type RowEnd, type RowState } from '../../contracts/batch';
import { type Store } from '../../store';

/**
 * One row as `results.jsonl` has it. Other programs rely on it: fields are added, never changed. The path is absolute;
 * `text` is what a text model wrote.
 */
export interface ResultLine {
  readonly key: string;
  readonly state: RowState | 'pending' | 'under way';
  readonly reason: string | null;
  readonly path: string | null;
  readonly text: string | null;
  readonly take: number | null;
  readonly taskId: string | null;
  readonly credits: number | null;
  readonly mediaType: string | null;
  readonly sha256: string | null;
  readonly sizeBytes: number | null;
  readonly durationSeconds: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly at: string | null;
  /** Whether it was rendered by the batch's fallback, whole or in part. */
  readonly fallback: boolean;
}

export async function resultLine(
  { assets }: Pick<Store, 'assets'>,
  { key, state, end }: { readonly key: string; readonly state: ResultLine['state']; readonly end: RowEnd | null },
  path: string | null,
): Promise<ResultLine> {
  const asset = end?.asset ?? null;
  const isText = asset?.mediaType === 'text/plain' && (await assets.has(asset));
  return {
    key,
    state,
    reason: end?.reason ?? null,
    path,
    text: isText ? await readFile(assets.localPath(asset), 'utf8') : null,
    take: end?.take ?? null,
    taskId: end?.taskId ?? null,
    credits: end?.credits ?? null,
    mediaType: asset?.mediaType ?? null,
    sha256: asset?.sha256 ?? null,
    sizeBytes: asset?.sizeBytes ?? null,
    durationSeconds: asset?.durationSeconds ?? null,
    width: asset?.width ?? null,
    height: asset?.height ?? null,
    at: end?.at ?? null,
    fallback: end?.fallback === true,
  };
}

const COLUMNS = [
  'key',
  'state',
  'reason',
  'path',
  'text',
  'take',
  'taskId',
  'credits',
  'mediaType',
  'durationSeconds',
  'width',
  'height',
  'at',
  'fallback',
] as const satisfies readonly (keyof ResultLine)[];

export const TABLE_HEAD = COLUMNS.join(',');

/** A line of the table, which holds no line ends: a spreadsheet shows one row a line, and a torn line is seen as one. */
export function tableLine(line: ResultLine): string {
  return COLUMNS.map((column) => cell(line[column])).join(',');
}

/**
 * Line ends of any program, those of Unicode, and what some programs part cells with; with the space behind them. The
 * space before them stays: an expression that looks for it takes hours on a long run of spaces.
 */
const LINE_ENDS = /[\t\r\n\v\f\u0085\u2028\u2029]\s*/g;

/**
 * Where spreadsheets would see the beginning of a formula: its signs, in the wide forms of East Asian scripts too, behind
 * what some programs skip; at the beginning of a cell, or behind a semicolon, at which some part cells.
 */
const FORMULAS = /(^|;)(?=[\s\p{C}"']*[=+\-@|%\uff1d\uff0b\uff0d\uff20])/gu;

/**
 * A cell in quotes, so that commas and quotes in it end no cell. What a spreadsheet would take for a formula gets an
 * apostrophe before it, whoever wrote it: it is text. `results.jsonl` has the words as they are.
 */
function cell(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return `"${value ?? ''}"`;
  return `"${value.replaceAll(LINE_ENDS, ' ').replaceAll(FORMULAS, "$1'").replaceAll('"', '""')}"`;
}
