import { type RowIssue } from './row-issue';

/** A row as it is written, by the names of its columns. */
export interface RawRow {
  readonly file: string;
  readonly line: number;
  /** Counts from 1; a table's head is none. */
  readonly row: number;
  readonly values: Readonly<Record<string, unknown>>;
  /** Whether the values are cells of a table, which are all text; an empty one is no value. */
  readonly isTable: boolean;
  /** Names of the table's columns; absent where it is none. */
  readonly columns?: readonly string[];
}

/** Rows as they are read, with what is wrong with the text itself in between. */
export type RawRows = AsyncIterable<RawRow | RowIssue>;

export function isIssue(read: RawRow | RowIssue): read is RowIssue {
  return 'message' in read;
}
