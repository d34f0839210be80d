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

/** What a spreadsheet would take for a formula is text, whoever wrote it. */
function cell(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const text = value.replaceAll(/\s*[\r\n]+\s*/g, ' ');
  const plain = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
