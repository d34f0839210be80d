import { onOneLine } from '../production-file/issue';

/** Something wrong with a row of a batch, or with its file where `row` is null. Lines and rows count from 1. */
export interface RowIssue {
  readonly file: string;
  readonly line: number;
  readonly row: number | null;
  /** Name of the column, or of the value where rows are no table; null if it is about the whole row. */
  readonly column: string | null;
  /** What was found, what is allowed, and what to do. */
  readonly message: string;
}

/** Mistakes that are shown before the rest is only counted: nobody mends more at once. */
const MOST_ISSUES = 1_000;

/** Gathers what is wrong, within bounds: a sheet of 100,000 rows may have a mistake in each. */
export interface RowIssues {
  add(issue: RowIssue): void;
  list(): readonly RowIssue[];
  count(): number;
}

export function gatherIssues(): RowIssues {
  const kept: RowIssue[] = [];
  let count = 0;
  return {
    add(issue) {
      count += 1;
      if (kept.length < MOST_ISSUES) kept.push(issue);
    },
    list: () => kept.toSorted((a, b) => (a.file === b.file ? a.line - b.line : 0)),
    count: () => count,
  };
}

/** One line an issue, `file:line row 3, column "prompt": message`. */
export function formatRowIssues(issues: readonly RowIssue[], count: number): string {
  const lines = issues.map(({ file, line, row, column, message }) => {
    const place = [...(row === null ? [] : [`row ${row}`]), ...(column === null ? [] : [`column "${column}"`])];
    return onOneLine(`${file}:${line}${place.length === 0 ? '' : ` ${place.join(', ')}`}: ${message}`);
  });
  if (count > issues.length) lines.push(`… and ${count - issues.length} more mistakes`);
  return lines.join('\n');
}
