import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BatchReport } from '../../client/batch';
import { openStore } from '../../store';
import { gateway, holdUp, place, run } from './resolve-command';

const ROWS = ['ash', 'birch', 'cedar', 'dogwood'];
const BATCH = `
generations:
${ROWS.map((key) => `  - { key: ${key}, model: pixel-image-1, output: image, prompt: A ${key} }`).join('\n')}
parallel: 1
`;

describe('dailies resolve --all', () => {
  it('gives all unclear rows of a batch the same answer, after saying what it may cost and asking once', async () => {
    writeFileSync(join(place.folder, 'trees.yaml'), BATCH);
    gateway.faults.inject({ kind: 'accept-500', count: 2 });
    const batch = async (): Promise<BatchReport> =>
      JSON.parse((await run('batch', 'trees.yaml', '--json')).stdout) as BatchReport;
    expect((await batch()).counts).toMatchObject({ completed: 2, parked: 2 });
    const misspelt = await run('resolve', 'trees', 'asch', '--skip');
    expect(misspelt).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/"trees" has no row "asch".*`dailies batch status trees`.*Did you mean "ash"/),
    });

    await holdUp();
    const all = ['resolve', 'trees', '--all', '--for', 'unclear'];
    // Without a terminal nothing is decided without --yes.
    const asked = await run(...all, '--resubmit');
    expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/"Send all of them again\?".*--yes/s) });
    expect(asked.stderr).toMatch(/"trees" has 2 unclear takes\. The gateway may have charged .*: 6 credits\./);
    expect(asked.stderr).toMatch(/again may cost as much once more: 6 credits\./);
    expect(gateway.tasks()).toHaveLength(ROWS.length);

    // Nor is anything sent by another key than before.
    const { keys } = (await openStore(join(place.folder, 'store'))).account(gateway.url);
    await keys.note('the key of another tenant');
    const ofAnother = await run(...all, '--resubmit', '--yes');
    expect(ofAnother).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('confirm the account: ') });
    expect(gateway.tasks()).toHaveLength(ROWS.length);
    await keys.note('any');

    const resolved = await run(...all, '--resubmit', '--yes');
    expect(resolved).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Decided: resubmit, for 2 of 2.') });
    expect((await batch()).counts).toMatchObject({ completed: 4 });
    expect(gateway.tasks()).toHaveLength(ROWS.length + 2);

    const none = await run(...all, '--skip', '--yes');
    expect(none).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no unclear take') });
  });

  it.each([
    [['trees', '--all', '--resubmit'], '--for unclear'],
    [['trees', '--for', 'unclear', '--skip'], '--for goes with --all'],
    [['trees', 'ash', '--all', '--for', 'unclear', '--skip'], 'omit "ash" or --all'],
    [['trees', '--all', '--for', 'unclear'], 'say one of --resubmit, --skip'],
    [['trees', '--all', '--for', 'unclear', '--resubmit', '--skip'], 'say one of --resubmit, --skip'],
    [['trees', '--all', '--for', 'unclear', '--resubmit', '--adopt', 'task-1'], '--adopt'],
    [['trees', '--resubmit'], 'say which shot'],
    [['elsewhere', '--all', '--for', 'unclear', '--skip'], 'no production or batch "elsewhere" is known here'],
  ])('refuses %j', async (args, words) => {
    expect(await run('resolve', ...args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(words) });
  });
});
