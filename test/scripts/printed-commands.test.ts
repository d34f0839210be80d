import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { printedCommands, unreadable } from '../support/printed-commands';

const ROOT = join(__dirname, '..', '..');

describe('a command that is printed', () => {
  it('is found with each of its alternatives, in backticks, at the end of a line, and before what it means', () => {
    const text = [
      'Approve it: dailies approve film dawn --take 1|2 | dailies reject film dawn [--prompt TEXT]',
      '  dailies resolve film dawn --adopt TASK_ID | --skip    leave it out',
      '  dailies resolve film dawn --take 1|2 --adopt TASK_ID | --skip',
      'See `dailies status film`, or type: dailies list. Then go on.',
      'The rest of it; dailies come out in the evening.',
    ].join('\n');
    expect(printedCommands(text).map((words) => words.join(' '))).toEqual([
      'approve film dawn --take 1',
      'reject film dawn',
      'reject film dawn --prompt TEXT',
      'resolve film dawn --adopt TASK_ID',
      'resolve film dawn --skip',
      'resolve film dawn --take 1 --adopt TASK_ID',
      'resolve film dawn --take 1 --skip',
      'status film',
      'list',
    ]);
  });

  it('is checked against the existing verbs and flags', () => {
    expect(
      unreadable([
        ['status', 'film'],
        ['render', 'FILE', '--id', 'film'],
        ['budget', 'film', '--credits', 'M'],
      ]),
    ).toEqual([]);
    expect(unreadable([['status'], ['render', 'FILE', '--in', 'x'], ['choose', 'film', 'dawn', 'first']])).toEqual([
      expect.stringContaining('missing required argument'),
      expect.stringContaining("unknown option '--in'"),
      expect.stringContaining('whole number'),
    ]);
  });

  it.each([
    'README.md',
    ...readdirSync(join(ROOT, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ])('in %s is one that the command line accepts', (page) => {
    const commands = printedCommands(readFileSync(join(ROOT, page), 'utf8'));
    // A verb alone is a mention, not a command to type.
    const typed = commands.filter(
      ({ length, [0]: verb }) => length > (verb === 'batch' || verb === 'schedule' ? 2 : 1),
    );
    expect(unreadable(typed)).toEqual([]);
  });
});
