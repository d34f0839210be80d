import { type FileIssue, type FlagIssue, formatIssues } from '../production-file';
import { Refused } from '../refused';

/** A file or a task that is not as it has to be. Its message has a line for each issue. Nothing was sent or stored. */
export class InvalidInput extends Refused {
  readonly issues: readonly (FileIssue | FlagIssue)[];

  constructor(issues: readonly (FileIssue | FlagIssue)[]) {
    super(formatIssues(issues));
    this.issues = issues;
  }
}
