import { onOneLine } from '../production-file/issue';

/**
 * An error in a row of a batch, or outside its rows if `row` is null. Lines and rows count from 1.
 *
 * In an object that a program gave, `file` is `batch`, and `line` is the row's number, or 0 if `row` is null.
 */
export interface RowIssue {
  readonly file: string;
  readonly line: number;
  readonly row: number | null;
  /**
   * Name of the column of a table. In an object or a file of another format: path of the value. Several are separated
   * by `, `. Null if the error is about no value, or if only `line` or `place` points to the value.
   */
  readonly column: string | null;
  readonly message: string;
  /**
   * Path in an object, such as `rows[3].prompt`; undefined for the whole object. Several paths are separated by `, `.
   * Absent for an error in a file.
   */
  readonly place?: string | undefined;
}

/** The place of an issue in a file or in an object. */
export type RowPlace = Pick<RowIssue, 'line' | 'place'>;

/** Default of `BatchSettings.placeOf`, for a file without settings. */
export const FIRST_LINE = (): RowPlace => ({ line: 1 });

/** Maximum number of issues that are kept. Nobody corrects more at once. */
const MOST_ISSUES = 1_000;

/** Counts all issues, and keeps the first `MOST_ISSUES` of them: each of 100,000 rows may have one. */
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
    list() {
      const files = [...new Set(kept.map(({ file }) => file))];
      return kept.toSorted((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line);
    },
    count: () => count,
  };
}

/**
 * One line for each issue: `file:line row 3, column "prompt": message`, or `rows[2].prompt: message`.
 *
 * @param count number of all issues. A last line says how many of them are not in the list.
 */
export function formatRowIssues(issues: readonly RowIssue[], count: number): string {
  const lines = issues.map((issue) => {
    const { file, line, row, column, message } = issue;
    if ('place' in issue) return onOneLine(issue.place === undefined ? message : `${issue.place}: ${message}`);
    const place = [...(row === null ? [] : [`row ${row}`]), ...(column === null ? [] : [`column "${column}"`])];
    return onOneLine(`${file}:${line}${place.length === 0 ? '' : ` ${place.join(', ')}`}: ${message}`);
  });
  const left = count - issues.length;
  if (left > 0) lines.push(`… and ${left} more mistake${left === 1 ? '' : 's'}`);
  return lines.join('\n');
}
