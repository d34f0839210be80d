import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder';

const ROOT = join(__dirname, '..', '..');
const BUSY = `test('works', () => { const end = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < end); });`;

describe('the CPU budget of npm test', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    mkdirSync(join(folder, 'test', 'tiers'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{}');
    writeFileSync(join(folder, 'test', 'busy.test.js'), BUSY);
    writeFileSync(join(folder, 'test', 'idle.test.js'), `test('is idle', () => {});`);
  });

  function runJest(calibrations: number, env: Record<string, string>, ...args: string[]) {
    writeFileSync(join(folder, 'budget.json'), JSON.stringify({ calibrations }));
    const config = {
      rootDir: folder,
      testEnvironment: join(ROOT, 'test', 'tiers', 'metered-environment.cjs'),
      reporters: [[join(ROOT, 'test', 'tiers', 'cpu-reporter.cjs'), { budgetFile: 'budget.json' }]],
    };
    const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
    const { status, stderr } = spawnSync(process.execPath, [jest, '--config', JSON.stringify(config), ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ENFORCE_CPU_BUDGET: '', ...env },
    });
    return { status, stderr };
  }

  it('lets a run within the budget pass', () => {
    expect(runJest(1_000_000, { ENFORCE_CPU_BUDGET: '1' }).status).toBe(0);
  });

  it('does not fail a run of some files, nor a run without ENFORCE_CPU_BUDGET', () => {
    expect(runJest(1, { ENFORCE_CPU_BUDGET: '1' }, 'busy').status).toBe(0);
    expect(runJest(1, {})).toMatchObject({ status: 0, stderr: expect.stringContaining('the budget is 1') as string });
  });
});

describe('the tests of what has changed', () => {});
