import { type FileIssue, type FlagIssue, formatIssues, type PlaceIssue } from '../production-file';
import { Refused } from '../wording/refused';

/** A file, task or option is invalid. The message has a line for each issue. Nothing was sent or stored. */
export class InvalidInput extends Refused {
  readonly issues: readonly (FileIssue | FlagIssue | PlaceIssue)[];

  constructor(issues: readonly (FileIssue | FlagIssue | PlaceIssue)[]) {
    super(formatIssues(issues));
    this.issues = issues;
  }
}
