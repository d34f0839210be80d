import { join } from 'node:path';
import { startSandbox } from '../../sandbox';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';

import { dailies } from './command';

/** How long a task stays in a state, so that a command that looks every half second shows it. */
const SHOWN_SECONDS = 8;

describe('dailies generate', () => {
  it('shows the progress of the task on stderr, and that it waits for a throttling gateway', async () => {
    const folder = await temporaryFolder();
    const gateway = await startSandbox({ folder: join(folder, 'gateway'), renderSeconds: SHOWN_SECONDS, ...PLAIN });
    gateway.faults.inject({ kind: 'refuse-429', on: 'submit', count: 1, seconds: SHOWN_SECONDS });
    try {
      const env = { DAILIES_GATEWAY_URL: gateway.url, DAILIES_GATEWAY_KEY: 'any' };
      const flags = ['--model', 'pixel-image-1', '--output', 'image', '--prompt', 'A poster', '--id', 'poster'];
      const { exitCode, stderr } = await dailies(['generate', ...flags], { folder, env });
      expect(exitCode).toBe(0);
      expect(stderr).toMatch(/^poster: waits to be sent again: .*429/m);
      expect(stderr).toMatch(/^poster: renders \(take 1, task [\w-]+\)$/m);
    } finally {
      await gateway.close();
    }
  });
});
