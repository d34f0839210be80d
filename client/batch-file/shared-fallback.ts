import { type FallbackInFile } from '../../contracts/file/production';
import { type ReadyByRule, readyByRule } from '../../contracts/file/ready-by';
import { dotted } from '../wording/phrases';
import { type BatchSource } from './batch-source';
import { FIRST_LINE, type RowIssue, type RowIssues } from './row-issue';

/** Maximum number of rows that a message names. */
const LISTED_ROWS = 5;

/** The `readyBy` and `fallback` of a batch. Neither applies to a production with a `readyBy` of its own. */
export interface SharedFallback {
  readonly readyBy: ReadyByRule | null;
  /** Undefined if the file has no fallback, or if the fallback itself is wrong. */
  readonly fallback: FallbackInFile | undefined;
  /** Records that a row makes video, so that the fallback is useful. */
  madeVideo(): void;
  /**
   * Records that `readyBy` or the fallback does not fit a row. Rows with the same error are reported together, at the
   * place of the wrong value.
   */
  doesNotFit(path: readonly (string | number)[], message: string, row: number): void;
  /** Reports the recorded errors. If there is no issue at all, reports an unused fallback. Call after the last row. */
  close(): void;
}

export function openSharedFallback(
  { file, settings: { readyBy, fallback, placeOf = FIRST_LINE }, areProductions }: BatchSource,
  issues: RowIssues,
): SharedFallback {
  const gathered = new Map<string, { readonly issue: RowIssue; readonly rows: Set<number> }>();
  let hasVideo = false;
  const wrong = (path: readonly (string | number)[], message: string): void => {
    issues.add({ file, ...placeOf(path), row: null, column: dotted(path), message });
  };
  const objection = fallback === undefined ? undefined : ownObjection(fallback, readyBy, areProductions === true);
  if (objection !== undefined) wrong(...objection);

  return {
    readyBy: readyBy === undefined ? null : (readyByRule(readyBy) ?? null),
    fallback: objection === undefined ? fallback : undefined,
    madeVideo() {
      hasVideo = true;
    },
    doesNotFit(path, message, row) {
      const issue = { file, ...placeOf(path), row: null, column: dotted(path), message };
      const name = JSON.stringify(issue);
      const known = gathered.get(name) ?? { issue, rows: new Set() };
      if (known.rows.size <= LISTED_ROWS) known.rows.add(row);
      gathered.set(name, known);
    },
    close() {
      for (const { issue, rows } of gathered.values()) {
        const names = [...rows].slice(0, LISTED_ROWS).join(', ') + (rows.size > LISTED_ROWS ? ' …' : '');
        issues.add({ ...issue, message: `${issue.message} (in ${rows.size === 1 ? 'row' : 'rows'} ${names})` });
      }
      if (fallback === undefined || objection !== undefined || hasVideo || issues.count() > 0) return;
      wrong(['fallback'], 'fallback is for rows that make video, and no row does; remove it');
    },
  };
}

function ownObjection(
  fallback: FallbackInFile,
  readyBy: string | undefined,
  areProductions: boolean,
): [readonly string[], string] | undefined {
  if (readyBy === undefined)
    return [['fallback'], 'fallback needs readyBy; add it, for example readyBy: 08:00, or remove fallback'];
  if (Object.keys(fallback).length === 0)
    return [['fallback'], 'fallback is empty; name at least one of model, resolution, duration and takes'];
  const { takes = 1 } = fallback;
  if (areProductions || takes === 1) return undefined;
  return [['fallback', 'takes'], `takes is ${String(takes)}, and a row is one task; write 1, or remove it`];
}
