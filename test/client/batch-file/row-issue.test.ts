import { gatherIssues, type RowIssue } from '../../../client/batch-file/row-issue';

const issue = (file: string, line: number): RowIssue => ({ file, line, row: null, column: null, message: 'wrong' });

describe('the mistakes in the rows of a batch', () => {
  it('are listed file by file, in the order of the lines, in whichever order they were found', () => {
    const issues = gatherIssues();
    for (const one of [issue('csv', 5), issue('yaml', 4), issue('yaml', 3), issue('csv', 1)]) issues.add(one);
    expect(issues.list().map(({ file, line }) => `${file}:${line}`)).toEqual(['csv:1', 'csv:5', 'yaml:3', 'yaml:4']);
  });
});
