import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type DrillReport } from '../../drill/drill';

const DRILL = join(__dirname, '..', '..', 'dist', 'drill', 'main.js');

/** The faults of half a minute, and the work that they leave. */
const DRILL_LIMIT_MS = 900_000;

describe('the drill', () => {
  it.each([
    ['parks what is unclear: nothing is lost, doubled or stuck', 3, []],
    ['sends what is unclear again: nothing is lost or stuck, and doubled no more than was unclear', 2, ['--resubmit']],
  ])(
    '%s',
    async (_name, productions, flags) => {
      const report = await drill(['--seed', '26', '--minutes', '0.6', '--productions', `${productions}`, ...flags]);
      expect(report.broken).toEqual([]);
      expect(report).toMatchObject({ lost: 0, stuck: 0, productions });
      expect(report.doubled).toBeLessThanOrEqual(flags.length === 0 ? 0 : report.unclear);
      expect(report.takes).toBeGreaterThanOrEqual(10 * productions);
      expect(report).toMatchObject({ retakes: productions, revisions: productions });
      expect(report.executes).toBeGreaterThan(0);
      expect(report.kills).toBeGreaterThan(0);
      expect(report.replays).toBeGreaterThan(8 * productions);
    },
    DRILL_LIMIT_MS,
  );
});

async function drill(args: readonly string[]): Promise<DrillReport> {
  const child = spawn(process.execPath, [DRILL, '--json', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Its workers and servers end with it.
    timeout: DRILL_LIMIT_MS - 10_000,
    killSignal: 'SIGKILL',
  });
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return JSON.parse(stdout) as DrillReport;
}
