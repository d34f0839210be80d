import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectDailies } from '../../client';
import { generateWorkflowId } from '../../contracts/identifiers';
import { startExample } from '../support/example-process';
import { type Rig, startRig } from '../support/rig';
import { temporaryFolder } from '../support/temporary-folder';
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

  it('continues after a kill -9, pays for each task once, and for nothing when it is run again', async () => {
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

  it('says why a row cannot be made, and makes the others', async () => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    const { exitCode, lines } = await start().ended;
    expect(exitCode).toBe(0);
    const failed = lines.filter(({ reason }) => reason !== null);
    expect(failed).toHaveLength(1);
    expect(failed[0]?.reason).toContain('dailies resolve generations');
    expect(lines.filter(({ clip }) => clip !== null).length).toBeGreaterThanOrEqual(2);
  });

  it('sends nothing for a sheet with a sku that cannot name a task', async () => {
    const sheet = join(await temporaryFolder(), 'rows.csv');
    await writeFile(sheet, 'sku,product,scene\nmug-07,a mug,a desk\nlamp/01,a lamp,a desk\n');
    const { exitCode, err, lines } = await start(sheet).ended;
    expect([exitCode, lines]).toEqual([1, []]);
    expect(err).toMatch(/^row 2 has the sku lamp\/01; give at most 56 letters, /);
    expect(rig.sandbox.tasks()).toEqual([]);
  });

  it('reports a row whose clip is refused, with its finished caption, and makes the others', async () => {
    // Under way for another request: the example's own is refused.
    const dailies = await connectDailies({
      address: rig.server.address,
      account: 'sandbox',
      storeFolder: rig.store.folder,
      fileValues: 'auto',
      dataUriMaxBytes: 20_000_000,
    });
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 1 });
    await dailies.generate({ id: 'lamp-01.clip', model: 'beta-2.5', prompt: 'another clip' }, { wait: false });
    await until(() => rig.sandbox.tasks().length === 1);

    const { exitCode, err, lines } = await start().ended;
    await dailies.close();
    expect([exitCode, err]).toEqual([0, '']);
    expect(lines.map(({ sku }) => sku).toSorted()).toEqual(['kite-03', 'lamp-01', 'mug-07']);
    const refused = lines.find(({ sku }) => sku === 'lamp-01');
    expect(refused).toMatchObject({ clip: null, reason: expect.stringContaining('is running for another request') });
    expect(refused?.caption?.length).toBeGreaterThan(0);
    expect(lines.filter(({ reason }) => reason === null)).toHaveLength(2);
    await rig.temporal.client.workflow.getHandle(generateWorkflowId(rig.store.id, 'lamp-01.clip')).terminate();
  });
});

function bySku(a: Line, b: Line): number {
  return a.sku.localeCompare(b.sku);
}
