import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const shot = (id: string) => ({ id, state: 'pending', reason: null, parked: null, takes: [], startedAt: null });

/** A display that never draws ends its test. */
const LIMIT_MS = 60_000;

/** What the display has written, before and after its end. */
async function written(first: object, then: object): Promise<readonly [string, string]> {
  // The display's library loads modules in a way that Jest's vm does not support.
  const program = `
    for (const stream of [process.stdout, process.stderr]) Object.assign(stream, { isTTY: true, columns: 400, rows: 50 });
    // Before the display's library is loaded, which keeps the function.
    const write = process.stderr.write.bind(process.stderr);
    let draws = 0;
    process.stderr.write = (text, ...rest) => {
      if (String(text).includes('the film')) draws += 1;
      return write(text, ...rest);
    };
    const { startLiveProgress } = require(process.argv[1]);
    const [first, then] = JSON.parse(process.argv[2]);
    const progress = startLiveProgress(first);
    const look = setInterval(() => {
      if (draws < 3) return;
      clearInterval(look);
      progress.update(then, null);
      progress.update(then, null);
      // The display holds back what is written to the stream.
      require('node:fs').writeSync(2, 'THE END');
      void progress.end();
    }, 100);
  `;
  const display = join(__dirname, '..', '..', '..', 'dist', 'scripts', 'progress', 'live-progress.js');
  const told = JSON.stringify([first, then]);
  const { stderr } = await promisify(execFile)(process.execPath, ['-e', program, display, told], { timeout: LIMIT_MS });
  const [before = '', after = ''] = stderr.split('THE END');
  return [before, after];
}

const status = { production: 'film', title: 'Film', state: 'running', reason: null, assembly: null, film: null };

it('shows a shot as completed that was so at the start', async () => {
  const ended = { ...shot('dawn'), state: 'completed', endedAt: '2026-01-01T00:00:00.000Z' };
  const first = { ...status, shots: [ended, { ...shot('dusk'), endedAt: null }] };
  const [before] = await written(first, first);
  expect(before).toMatch(/✔ dawn[^\n]*\n[^\n]*dusk[^]*$/);
  expect(before.slice(before.lastIndexOf('dawn') - 12)).toContain('✔ dawn');
  expect(before).not.toContain('✔ dusk');
});

it('shows a shot that a revision has added', async () => {
  const first = { ...status, shots: [{ ...shot('dawn'), endedAt: null }] };
  const then = { ...first, shots: [...first.shots, { ...shot('dusk'), endedAt: null }] };
  const [, after] = await written(first, then);
  const last = after.slice(after.lastIndexOf('dawn'));
  expect(last).toMatch(/^dawn[^]*dusk[^]*the film/);
  expect(last.match(/dusk/g)).toHaveLength(1);
});
