import { formatRowIssues, type RowIssue } from '../batch';
import { Refused } from '../refused';

/** A batch file with mistakes in it. Its message has a line for each issue. Nothing was sent or stored. */
export class InvalidBatch extends Refused {
  /** At most 1,000 of them; `count` says how many there are. */
  readonly issues: readonly RowIssue[];
  readonly count: number;

  constructor(issues: readonly RowIssue[], count: number) {
    super(formatRowIssues(issues, count));
    this.issues = issues;
    this.count = count;
  }
}
