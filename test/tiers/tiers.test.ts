import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder';
import { extract } from './dependency-extractor.cjs';

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

  it('fails a whole run over the budget, names the costly files in order, and says what to do', () => {
    const { status, stderr } = runJest(1, { ENFORCE_CPU_BUDGET: '1' });
    expect(stderr).toMatch(/Most CPU:\n.* s {2}test\/busy\.test\.js\n.* s {2}test\/idle\.test\.js\nCPU of 2 files/);
    expect(stderr).toContain('the budget is 1. Make the files above cheaper');
    expect(status).toBe(1);
  });
});

describe('the tests of what has changed', () => {
  it('include those that start the compiled program', () => {
    const code = `const MAIN = join(__dirname, '..', '..', 'dist', 'workers', 'main.js');`;
    const imports = extract(code, join(ROOT, 'test', 'support', 'worker-process.ts'), () => new Set(['node:path']));
    expect([...imports]).toEqual(['node:path', './../../workers/main']);
  });
});
