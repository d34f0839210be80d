import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BatchReport } from '../../client/batch';
import { startSandbox } from '../../sandbox';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { dailies, startProcess } from './command';

const BATCH = `
generations:
  - { key: one, model: beta-video, prompt: The first hour., duration: 4, resolution: 480p }
  - { key: two, model: beta-video, prompt: The second hour., duration: 4, resolution: 480p }
  - { key: three, model: beta-video, prompt: The third hour., duration: 4, resolution: 480p }
parallel: 2
`;

/** Long enough for the command, which prints progress every five seconds, to show two tasks. */
const TASK_SECONDS = 15;

describe('a batch that is left by Ctrl-C', () => {
  it('names the rows under way, and buys none of them again', async () => {
    const folder = await temporaryFolder();
    const gateway = await startSandbox({ folder: join(folder, 'gateway'), renderSeconds: TASK_SECONDS, ...PLAIN });
    try {
      const place = { folder, env: { DAILIES_GATEWAY_URL: gateway.url, DAILIES_GATEWAY_KEY: 'any' } };
      writeFileSync(join(folder, 'hours.yaml'), BATCH);
      const first = startProcess(['batch', 'hours.yaml', '--json'], place);
      await until(() => first.stderr().includes('2 under way') && first);
      first.process.kill('SIGINT');
      const { exitCode, stdout } = await first.ended;
      expect(exitCode).toBe(130);
      const left = JSON.parse(stdout) as BatchReport;
      expect(left.state).toBe('running');
      expect(left.counts).toMatchObject({ underWay: 2, completed: 0, pending: 1 });

      const again = startProcess(['batch', 'retry-failed', 'hours', '--missing'], place);
      await until(() => again.stderr().includes('2 under way') && again);
      again.process.kill('SIGINT');
      expect((await again.ended).stderr).toContain('Run `dailies batch retry-failed hours --missing` to continue.');

      const ended = await dailies(['batch', 'hours.yaml', '--json'], place);
      expect(ended.exitCode).toBe(0);
      expect((JSON.parse(ended.stdout) as BatchReport).counts).toMatchObject({ completed: 3, underWay: 0, pending: 0 });
      expect(gateway.tasks()).toHaveLength(3);
    } finally {
      await gateway.close();
    }
  });
});
