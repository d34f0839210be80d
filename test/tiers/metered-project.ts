import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder';

const ROOT = join(__dirname, '..', '..');
const BUSY = `test('works', () => { const end = process.cpuUsage().user + 1_500_000; while (process.cpuUsage().user < end); });`;

/** A project with a busy test file and an idle one. */
export interface MeteredProject {
  readonly folder: string;
  /** Runs Jest with the CPU reporter and a budget. */
  readonly runJest: (
    calibrations: number,
    env: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ) => { readonly status: number | null; readonly stderr: string };
}

export async function meteredProject(): Promise<MeteredProject> {
  const folder = await temporaryFolder();
  mkdirSync(join(folder, 'test', 'tiers'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{}');
  writeFileSync(join(folder, 'test', 'busy.test.js'), BUSY);
  writeFileSync(join(folder, 'test', 'idle.test.js'), `test('is idle', () => {});`);
  return {
    folder,
    runJest(calibrations, env, ...args) {
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
        // Settings of the run that runs this test must not apply to this run.
        env: { ...process.env, ENFORCE_CPU_BUDGET: '', OVER_CPU_BUDGET_FILE: '', ...env },
      });
      return { status, stderr };
    },
  };
}
