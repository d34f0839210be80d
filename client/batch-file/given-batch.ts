import { type BatchContent, type BatchFile } from '../../contracts/file/batch-file';
import { givenText } from '../production-file';
import { isRecord } from '../production-file/text/given-text';
import { dotted, shown } from '../wording/phrases';
import { fromValue, type ListName, type OpenedBatch } from './batch-source';
import { type RawRow, type RawRows } from './raw-row';
import { type RowIssue } from './row-issue';

/** Rows that a program gives. They are read once, one at a time. */
export type GivenRows = Iterable<object> | AsyncIterable<object>;

type ContentName = BatchContent | 'rows';

/** An object with the content keys of `Content` and no other content key. */
type Only<Content> = Readonly<Content> & { readonly [Name in Exclude<ContentName, keyof Content>]?: never };

/** A batch with the keys of a batch file, checked by the same schema. Its rows may be any iterable. */
export type BatchObject = Readonly<Omit<BatchFile, ContentName>> &
  (
    | Only<{ generations: GivenRows }>
    | Only<{ productions: GivenRows }>
    | Only<{ generation: object; rows: string | GivenRows }>
    | Only<{ production: object; rows: string | GivenRows }>
  );

export interface GivenBatchOptions {
  /** Absolute path of the folder at which relative paths start. */
  readonly folder: string;
  /** Called with the batch as JSON, in which a placeholder replaces the rows; then with each row as JSON. */
  readonly onText?: (text: string) => void;
}

/** The `file` of issues, since an object has no path. */
const GIVEN = 'batch';

const LISTS: readonly string[] = ['generations', 'productions', 'rows'] satisfies readonly ListName[];

/** Placeholder for the rows while the schema checks the rest. Each row is checked when it is read. */
const ANY_ROW = [{}];

/** Opens a batch that a program gave as an object. Rows are read one at a time, and are not kept. */
export function openGivenBatch(given: unknown, { folder, onText = () => undefined }: GivenBatchOptions): OpenedBatch {
  const whole = { file: GIVEN, line: 0, row: null, column: null };
  const lists = new Map(isRecord(given) ? Object.entries(given).filter(isList) : []);
  const head = isRecord(given)
    ? Object.fromEntries(Object.entries(given).map(([name, value]) => [name, lists.has(name) ? ANY_ROW : value]))
    : given;
  const written = givenText(head);
  if ('issues' in written) return { issues: written.issues.map((issue) => ({ ...whole, ...issue })) };
  onText(written.text);
  return fromValue(JSON.parse(written.text), {
    file: GIVEN,
    folder,
    isGiven: true,
    placeOf: ({ path }) => ({ line: 0, place: dotted(path) || undefined }),
    rowsAt: (_list, [name]) => givenRows(lists.get(name) ?? [], name, onText),
  });
}

async function* givenRows(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  name: ListName,
  onText: (text: string) => void,
): RawRows {
  let row = 0;
  for await (const one of rows) {
    row += 1;
    const read = readRow(one, name, row);
    if ('issues' in read) yield* read.issues;
    else {
      onText(`${JSON.stringify(read.values)}\n`);
      yield read;
    }
  }
  if (row > 0) return;
  const message = `${name} has no rows; give at least one. An iterator that was read before has none left`;
  yield { file: GIVEN, line: 0, row: null, column: null, message, place: name };
}

/** The row after conversion to JSON and back, or its errors. */
function readRow(one: unknown, name: ListName, row: number): RawRow | { readonly issues: readonly RowIssue[] } {
  const at = [name, row - 1];
  const place = { file: GIVEN, line: row, row };
  const written = isRecord(one) ? givenText(one, at) : { issues: [{ place: dotted(at), message: noRow(one) }] };
  if ('issues' in written) {
    return { issues: written.issues.map((issue) => ({ ...place, column: null, ...issue })) };
  }
  const values = JSON.parse(written.text) as Readonly<Record<string, unknown>>;
  return { ...place, values, isTable: false, at };
}

function noRow(value: unknown): string {
  const isOfClass = typeof value === 'object' && value !== null && !Array.isArray(value);
  return `a row must be a plain object, and this is ${isOfClass ? 'an instance of a class' : shown(value)}`;
}

function isList(entry: [string, unknown]): entry is [string, Iterable<unknown> | AsyncIterable<unknown>] {
  const [name, value] = entry;
  if (!LISTS.includes(name) || typeof value !== 'object' || value === null) return false;
  return Symbol.iterator in value || Symbol.asyncIterator in value;
}
