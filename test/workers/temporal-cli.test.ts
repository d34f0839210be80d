import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTemporalCli } from '../../workers/temporal-cli';
import { temporaryFolder } from '../support/temporary-folder';

describe('the Temporal CLI', () => {
  it('is an executable file on PATH, and no folder of that name', async () => {
    const root = await temporaryFolder();
    for (const folder of ['source/temporal', 'bin']) mkdirSync(join(root, folder), { recursive: true });
    const cli = join(root, 'bin', 'temporal');
    writeFileSync(cli, '');
    const env = { PATH: `${join(root, 'source')}:${join(root, 'bin')}`, DAILIES_CACHE: root };
    chmodSync(cli, 0o644);
    expect(findTemporalCli({ ...env, DAILIES_CACHE: join(root, 'empty') })).toBeUndefined();
    chmodSync(cli, 0o755);
    expect(findTemporalCli(env)).toEqual({ path: cli, source: 'PATH' });
  });
});
