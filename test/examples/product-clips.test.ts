import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startExample } from '../support/example-process';
import { type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

const FOLDER = join(__dirname, '..', '..');

interface Line {
  readonly sku: string;
  readonly picture: string | null;
  readonly clip: string | null;
  readonly caption: string | null;
  readonly credits: number;
  readonly reason: string | null;
}

describe('the example that makes picture, clip and caption for each row', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await startRig({ renderSeconds: 1 });
  });

  afterEach(() => rig.close());

  function start(sheet = join(FOLDER, 'examples', 'product-clips', 'rows.csv')) {
    const child = startExample(rig, 'product-clips/main.js', [sheet]);
    const written = { out: '', err: '' };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (written.out += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (written.err += text));
    const ended = once(child, 'close').then(([exitCode]) => {
      const lines = written.out.split('\n').filter((line) => line !== '');
      return {
        exitCode: exitCode as number | null,
        err: written.err,
        lines: lines.map((line) => JSON.parse(line) as Line),
      };
    });
    return { child, ended };
  }

  it('goes on after a kill -9 in the middle, pays for each task once, and for nothing when it is run again', async () => {
    const first = start();
    await until(() => rig.sandbox.tasks().length >= 4);
    first.child.kill('SIGKILL');
    await first.ended;

    const { exitCode, err, lines } = await start().ended;
    expect([exitCode, err]).toEqual([0, '']);
    expect(lines.map(({ sku }) => sku).toSorted()).toEqual(['kite-03', 'lamp-01', 'mug-07']);
    for (const { picture, clip, caption, credits, reason } of lines) {
      expect([picture, clip].map((path) => path !== null && existsSync(path))).toEqual([true, true]);
      expect(caption?.length).toBeGreaterThan(0);
      expect(credits).toBeGreaterThan(0);
      expect(reason).toBeNull();
    }
    expect(rig.sandbox.tasks()).toHaveLength(9);
    const charged = await rig.store.ledger.takes('generations', 'lamp-01.clip');
    expect(charged).toHaveLength(1);

    const again = await start().ended;
    expect(again.lines.toSorted(bySku)).toEqual(lines.toSorted(bySku));
    expect(rig.sandbox.tasks()).toHaveLength(9);
  });

  it('names what keeps a row from being made, and makes the others', async () => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    const { exitCode, lines } = await start().ended;
    expect(exitCode).toBe(0);
    const failed = lines.filter(({ reason }) => reason !== null);
    expect(failed).toHaveLength(1);
    expect(failed[0]?.reason).toContain('dailies resolve generations');
    expect(lines.filter(({ clip }) => clip !== null).length).toBeGreaterThanOrEqual(2);
  });
});

function bySku(a: Line, b: Line): number {
  return a.sku.localeCompare(b.sku);
}
