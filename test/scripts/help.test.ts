import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies } from './command';

const ROOT = join(__dirname, '..', '..');
const DAILIES = join(ROOT, 'dist', 'scripts', 'dailies.js');

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
  'review',
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
    expect(await packagesOf(['--help'])).toEqual(['commander']);
  });

  it.each(VERBS)('explains %s in its own help', async (verb) => {
    const { exitCode, stdout } = await dailies([verb, '--help'], { folder: await temporaryFolder() });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`dailies ${verb}`);
  });
});

describe('a verb that only reads', () => {
  it.each([
    ['validate', ['validate', join(ROOT, 'productions', 'lighthouse.yaml')]],
    ['plan', ['plan', join(ROOT, 'productions', 'lighthouse.yaml')]],
    ['status', ['status', 'nowhere']],
    ['list', ['list']],
    ['takes', ['takes', 'nowhere']],
    ['ledger', ['ledger']],
    ['models', ['models']],
  ])('loads no module of Temporal, whose client takes longer to load than %s to answer', async (_, args) => {
    const packages = await packagesOf(args);
    expect(packages).toContain('zod');
    expect(packages.filter((name) => /^@temporalio|^@grpc|^undici|^hono|^listr2/.test(name))).toEqual([]);
  });
});

describe('a verb that asks Temporal', () => {
  it("does not load the gateway's client before a task is looked up", async () => {
    const packages = await packagesOf([], join(ROOT, 'dist', 'scripts', 'session', 'open-session.js'));
    expect(packages).toContain('@temporalio/client');
    expect(packages).not.toContain('undici');
  });

  it('loads no reader of production files to tell a status', async () => {
    const modules = ['scripts/verbs/status', 'scripts/session/connect-set', 'client/status/status-reader'];
    const loaded = await Promise.all(modules.map((name) => packagesOf([], join(ROOT, 'dist', `${name}.js`))));
    const packages = loaded.flat();
    expect(packages).toContain('@temporalio/client');
    expect(packages.filter((name) => name === 'yaml' || name === 'undici')).toEqual([]);
  });
});

/** The packages that a compiled program loads, by default the command. */
async function packagesOf(args: readonly string[], program = DAILIES): Promise<readonly string[]> {
  const folder = await temporaryFolder();
  const hook = join(folder, 'loaded.cjs');
  const list = join(folder, 'loaded.json');
  const write = `require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(Object.keys(require.cache)))`;
  writeFileSync(hook, `process.on('exit', () => ${write});`);
  const command = [...args].map((word) => `"${word}"`).join(' ');
  execFileSync('sh', ['-c', `"${process.execPath}" -r "${hook}" "${program}" ${command} >out 2>&1 || true`], {
    cwd: folder,
    env: { ...process.env, DAILIES_STORE: join(folder, 'store') },
  });
  const loaded = JSON.parse(readFileSync(list, 'utf8')) as string[];
  const packages = loaded.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return [...new Set(packages)];
}
