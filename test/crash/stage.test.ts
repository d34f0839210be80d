import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setStage } from '../../drill/stage';
import { startSandbox } from '../../sandbox';
import { temporaryFolder } from '../support/temporary-folder';

describe('a stage', () => {
  it('leaves nothing running where a part of it does not start, and says which', async () => {
    const folder = await temporaryFolder();
    const free = await startSandbox({ folder: join(folder, 'free') });
    const port = Number(new URL(free.url).port);
    await free.close();
    // Temporal finds a folder in the place of its database.
    await mkdir(join(folder, 'temporal.db'));

    await expect(setStage(folder, { port })).rejects.toThrow(/Temporal/);
    await expect(fetch(`${free.url}/sandbox/tasks`)).rejects.toThrow('fetch failed');
  });
});
