import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const LEAN = require.resolve('../../dist/workers/lean-memory.js');
const MAIN = require.resolve('../../dist/workers/main.js');

/** As V8 does by default if there is enough memory. */
const MUCH_GARBAGE = '--heap-growing-percent=300';

/** Keeps half a million small objects, and creates millions of short-lived ones; prints the peak heap size in bytes. */
const CHURN = `
  const { getHeapStatistics } = require('node:v8');
  const kept = Array.from({ length: 400_000 }, (_, n) => ({ n, text: 'kept ' + n }));
  const recent = [];
  let peak = 0;
  for (let n = 0; n < 8_000_000; n += 1) {
    recent[n % 200_000] = { n, text: 'recent ' + n };
    if (n % 10_000 === 0) peak = Math.max(peak, getHeapStatistics().used_heap_size);
  }
  process.stdout.write(JSON.stringify({ peak, kept: kept.length }));
`;
const IN_MAIN_THREAD = CHURN;
const IN_ANOTHER_THREAD = `new (require('node:worker_threads').Worker)(${JSON.stringify(CHURN)}, { eval: true });`;

describe("a worker's process", () => {
  it.each([
    ['its main thread', IN_MAIN_THREAD],
    ['a thread that it starts', IN_ANOTHER_THREAD],
  ])('holds less garbage than live data, although its environment allows three times that, in %s', async (_, churn) => {
    // There is no server, so the worker has ended before the churn begins.
    const asWorker = `require(${JSON.stringify(MAIN)}).main().catch(() => { ${churn} });`;
    const [worker, other] = [await peakOf(asWorker), await peakOf(churn)];
    expect(worker / other).toBeLessThan(0.7);
  });
});

async function peakOf(script: string): Promise<number> {
  const env = { PATH: process.env['PATH'], TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const { stdout } = await promisify(execFile)(process.execPath, [MUCH_GARBAGE, '--eval', script], { env });
  return (JSON.parse(stdout) as { peak: number }).peak;
}

describe("the studio's process", () => {
  it('has a new space that stays small, whatever survives', async () => {
    const churn = `
      const { getHeapSpaceStatistics } = require('node:v8');
      const recent = [];
      let most = 0;
      let n = 0;
      const turn = () => {
        for (const end = n + 20_000; n < end; n += 1) recent[n % 400_000] = { n, text: 'recent ' + n };
        most = Math.max(most, getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size);
        if (n < 4_000_000) setImmediate(turn);
        else { process.stdout.write(JSON.stringify({ peak: most })); process.exit(); }
      };
      turn();`;
    const [studio, other] = [
      await peakOf(`require(${JSON.stringify(LEAN)}).keepNewSpaceSmall(); ${churn}`),
      await peakOf(churn),
    ];
    expect(studio / other).toBeLessThan(0.7);
  });
});
