import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies } from './command';

const VERBS = [
  'render',
  'list',
  'status',
  'cancel',
  'takes',
  'choose',
  'retake',
  'approve',
  'reject',
  'edit',
  'validate',
  'models',
  'generate',
  'up',
  'worker',
  'deploy',
  'sandbox',
  'doctor',
];

describe('dailies --help', () => {
  it('names every verb and every exit code', async () => {
    const { exitCode, stdout } = await dailies(['--help'], { folder: await temporaryFolder() });
    expect(exitCode).toBe(0);
    for (const verb of VERBS) expect(stdout).toMatch(new RegExp(`^  ${verb}\\b`, 'm'));
    for (const code of [0, 1, 2, 3, 4, 130]) expect(stdout).toMatch(new RegExp(`^  ${code} `, 'm'));
  });

  it('loads no package but commander, so that it answers at once', async () => {
    const hook = join(await temporaryFolder(), 'loaded.cjs');
    writeFileSync(hook, `process.on('exit', () => console.error(JSON.stringify(Object.keys(require.cache))));`);
    const script = join(__dirname, '..', '..', 'dist', 'scripts', 'dailies.js');
    const shell = `"${process.execPath}" -r "${hook}" "${script}" --help 2>&1 >/dev/null`;
    const loaded = JSON.parse(execFileSync('sh', ['-c', shell], { encoding: 'utf8' })) as string[];
    const packages = loaded.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    expect([...new Set(packages)]).toEqual(['commander']);
  });

  it.each(VERBS)('tells of %s by itself', async (verb) => {
    const { exitCode, stdout } = await dailies([verb, '--help'], { folder: await temporaryFolder() });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`dailies ${verb}`);
  });
});
