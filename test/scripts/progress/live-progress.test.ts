import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const shot = (id: string) => ({ id, state: 'pending', reason: null, parked: null, takes: [], startedAt: null });

it('shows a shot that a revision has added', async () => {
  const status = { production: 'film', title: 'Film', state: 'running', reason: null, assembly: null, film: null };
  const first = { ...status, shots: [{ ...shot('dawn'), endedAt: null }] };
  const then = { ...first, shots: [...first.shots, { ...shot('dusk'), endedAt: null }] };
  // The display's library loads modules in a way that Jest's vm does not support.
  const program = `
    for (const stream of [process.stdout, process.stderr]) Object.assign(stream, { isTTY: true, columns: 400, rows: 50 });
    const { startLiveProgress } = require(process.argv[1]);
    const [first, then] = JSON.parse(process.argv[2]);
    const progress = startLiveProgress(first);
    setTimeout(() => {
      progress.update(then, null);
      progress.update(then, null);
      void progress.end();
    }, 500);
  `;
  const display = join(__dirname, '..', '..', '..', 'dist', 'scripts', 'progress', 'live-progress.js');
  const told = JSON.stringify([first, then]);
  const { stderr } = await promisify(execFile)(process.execPath, ['-e', program, display, told]);
  const last = stderr.slice(stderr.lastIndexOf('dawn'));
  expect(last).toMatch(/^dawn[^]*dusk[^]*the film/);
  expect(last.match(/dusk/g)).toHaveLength(1);
});
