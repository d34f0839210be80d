import { type PlaceIssue } from './text/given-text';

/** An error in a production file. `line` and `column` count from 1. */
export interface FileIssue {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** States the finding, the allowed values and the remedy. */
  readonly message: string;
}

/** An error in a flag of a command or an option of a call. */
export interface FlagIssue {
  readonly flag: string;
  readonly message: string;
}

/**
 * Formats each issue as one line: `file:line:column message`, `flag: message`, `place: message`, or the message alone.
 * Editors and terminals turn the first form into a link.
 */
export function formatIssues(issues: readonly (FileIssue | FlagIssue | PlaceIssue)[]): string {
  return issues
    .map((issue) => {
      if ('flag' in issue) return `${issue.flag}: ${issue.message}`;
      if ('place' in issue) return issue.place === undefined ? issue.message : `${issue.place}: ${issue.message}`;
      return `${issue.file}:${issue.line}:${issue.column} ${issue.message}`;
    })
    .map(onOneLine)
    .join('\n');
}

/** Replaces line breaks by spaces, because text on a new line would look like another issue. */
export function onOneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n]+\s*/g, ' ');
}
