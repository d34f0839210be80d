import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder';
import { npmProgram } from './clone-rig';

const ROOT = join(__dirname, '..', '..');

describe.each(['.', 'bench/peers'])('the lock file in %s', (folder) => {
  it('is accepted by `npm ci`, which asks no registry about it', async () => {
    const copy = await temporaryFolder();
    for (const name of ['package.json', 'package-lock.json']) cpSync(join(ROOT, folder, name), join(copy, name));
    const args = ['ci', '--dry-run', '--offline', '--ignore-scripts', '--no-audit', '--cache', join(copy, 'cache')];
    // Fails with npm's message if npm refuses the file: then run scripts/setup/complete-lock.cjs.
    execFileSync(process.execPath, [npmProgram(), ...args], { cwd: copy, stdio: 'pipe' });
  });

  it('names no registry', () => {
    const lock = readFileSync(join(ROOT, folder, 'package-lock.json'), 'utf8');
    expect(lock).not.toContain('"resolved"');
  });
});
