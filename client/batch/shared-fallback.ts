import { type FallbackInFile } from '../../contracts/production';
import { type ReadyByRule, readyByRule } from '../../contracts/ready-by';
import { dotted } from '../production-file/wording';
import { type BatchSource } from './batch-source';
import { type RowIssue, type RowIssues } from './row-issue';

/** Rows that a message names before it stops. */
const LISTED_ROWS = 5;

/** What a batch's file says once of the time for all of its rows. */
export interface SharedFallback {
  readonly readyBy: ReadyByRule | null;
  /** Undefined if the file names none, or it is wrong by itself. */
  readonly fallback: FallbackInFile | undefined;
  /** A row that makes video. */
  madeVideo(): void;
  /** A row minds the fallback: said once for all rows that mind the same, where the fallback stands. */
  minded(path: readonly (string | number)[], message: string, row: number): void;
  /** To be called behind the last row: what is wrong with it. */
  close(): void;
}

export function openSharedFallback(
  { file, settings: { readyBy, fallback, lineOf = () => 1 }, areProductions }: BatchSource,
  issues: RowIssues,
): SharedFallback {
  const gathered = new Map<string, { readonly issue: RowIssue; readonly rows: Set<number> }>();
  let hasVideo = false;
  const wrong = (path: readonly (string | number)[], message: string): void => {
    issues.add({ file, line: lineOf(path), row: null, column: dotted(path), message });
  };
  const objection = fallback === undefined ? undefined : ownObjection(fallback, readyBy, areProductions === true);
  if (objection !== undefined) wrong(...objection);

  return {
    readyBy: readyBy === undefined ? null : (readyByRule(readyBy) ?? null),
    fallback: objection === undefined ? fallback : undefined,
    madeVideo() {
      hasVideo = true;
    },
    minded(path, message, row) {
      const issue = { file, line: lineOf(path), row: null, column: dotted(path), message };
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
    return [['fallback'], 'fallback is for a batch with readyBy; add it, as readyBy: 08:00, or remove this'];
  if (Object.keys(fallback).length === 0)
    return [['fallback'], 'fallback is empty; name at least one of model, resolution, duration and takes'];
  const { takes = 1 } = fallback;
  if (areProductions || takes === 1) return undefined;
  return [['fallback', 'takes'], `takes is ${String(takes)}, and a row is one task; write 1, or remove it`];
}
