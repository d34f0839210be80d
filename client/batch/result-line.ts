import { readFile } from 'node:fs/promises';
import { type RowEnd } from '../../contracts/batch';
import { type RowState } from '../../contracts/states';
import { type Store } from '../../store';

/**
 * A row in `results.jsonl`. Other programs rely on it: fields are added, never changed. `path` is absolute; `text` is
 * the output of a text model.
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
  /** Whether any part of it was rendered with the batch's fallback. */
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

/**
 * A row of the CSV table. It contains no line end, so a spreadsheet shows one row a line and a torn line can be
 * detected.
 */
export function tableLine(line: ResultLine): string {
  return COLUMNS.map((column) => cell(line[column])).join(',');
}

/**
 * Line ends of any program and of Unicode, tabs, and the white space after them. White space before them stays:
 * matching it takes quadratic time on long runs of spaces.
 */
const LINE_ENDS = /[\t\r\n\v\f\u0085\u2028\u2029]\s*/g;

/**
 * The positions at which a spreadsheet could begin a formula: at the start of a cell, or after a semicolon, which some
 * programs treat as a delimiter. Includes the full-width forms of the signs, and characters that some programs skip before them.
 */
const FORMULAS = /(^|;)(?=[\s\p{C}"']*[=+\-@|%\uff1d\uff0b\uff0d\uff20])/gu;

/**
 * A quoted cell, so commas and quotes in it do not end it. A text that a spreadsheet would take for a formula gets an
 * apostrophe in front. `results.jsonl` has the text unchanged.
 */
function cell(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return `"${value ?? ''}"`;
  return `"${value.replaceAll(LINE_ENDS, ' ').replaceAll(FORMULAS, "$1'").replaceAll('"', '""')}"`;
}
