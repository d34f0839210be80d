import { formatRowIssues, type RowIssue } from '../batch-file/row-issue';
import { Refused } from '../wording/refused';

/** A batch has errors. The message has a line for each issue. Nothing was sent or stored. */
export class InvalidBatch extends Refused {
  /** At most 1,000; `count` is the total. */
  readonly issues: readonly RowIssue[];
  readonly count: number;

  constructor(issues: readonly RowIssue[], count: number) {
    super(formatRowIssues(issues, count));
    this.issues = issues;
    this.count = count;
  }
}
