import { type Path } from '../wording/finding';
import { dotted } from '../wording/phrases';
import { type RowIssue } from './row-issue';

/** A row as written, by column name. */
export interface RawRow {
  readonly file: string;
  readonly line: number;
  /** Counts from 1, without the table's head. */
  readonly row: number;
  readonly values: Readonly<Record<string, unknown>>;
  /** Whether the values are cells of a table. Cells are text; an empty cell is no value. */
  readonly isTable: boolean;
  /** Names of the table's columns; absent if the row is not from a table. */
  readonly columns?: readonly string[];
  /** Path of the row in an object of a program; absent for rows of a file. */
  readonly at?: Path;
}

/** The rows of a file, with the issues of its text in between. */
export type RawRows = AsyncIterable<RawRow | RowIssue>;

export function isIssue(read: RawRow | RowIssue): read is RowIssue {
  return 'message' in read;
}

/** The places of a row's values if the row is in an object; empty for a row of a file. */
export function placeIn({ at }: Pick<RawRow, 'at'>, ...paths: readonly Path[]): Pick<RowIssue, 'place'> {
  return at === undefined ? {} : { place: paths.map((path) => dotted([...at, ...path])).join(', ') };
}
