import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { found } from '../../bench/finding';
import { keptMeasures, pageWith } from '../../bench/page';
import { saveMeasure, type SavedMeasure } from '../../bench/saved';

const RECOVERY: SavedMeasure = {
  name: 'recovery',
  date: '2026-11-22',
  machine: {
    node: 'v20.20.2',
    cores: 2,
    processor: 'AMD EPYC',
    memoryGigabytes: 8,
    kernel: 'Linux 6.1',
    fileSystem: 'ext4',
    ffmpeg: '7.0',
    temporal: '1.5.1',
  },
  findings: [found('work after kill -9', 'ms', [900, 700, 800])],
};
const PAGE = 'before\n\n<!-- alone -->\n\nold\n\n<!-- end of alone -->\n\nafter\n';

describe('the page', () => {
  let docs: string;
  beforeEach(async () => {
    docs = await mkdtemp(join(tmpdir(), 'dailies-test-'));
  });
  afterEach(() => rm(docs, { recursive: true }));

  it('has the stored figures of each measure, and says what was not measured', async () => {
    await saveMeasure(docs, RECOVERY);
    const page = pageWith(PAGE, await keptMeasures(docs));
    expect(page).toContain('| work after kill -9 | 800 ms (700 to 900) | 3 |');
    expect(page).toContain('| **Growth** | not measured yet | |');
    expect(page).toContain('2026-11-22, Node v20.20.2, 2 cores');
    expect(page).toContain('[recovery.json](benchmarks/alone/recovery.json)');
    expect(page).not.toContain('old');
    expect(page).toMatch(/^before\n[^]*\nafter\n$/);
  });

  it('is unchanged when it is written again', async () => {
    await saveMeasure(docs, RECOVERY);
    const kept = await keptMeasures(docs);
    expect(pageWith(pageWith(PAGE, kept), kept)).toBe(pageWith(PAGE, kept));
  });

  it('keeps every round', async () => {
    await saveMeasure(docs, RECOVERY);
    expect(JSON.parse(await readFile(join(docs, 'benchmarks', 'alone', 'recovery.json'), 'utf8'))).toEqual(RECOVERY);
  });

  it('is not written if it has no place for the table', () => {
    expect(() => pageWith('nothing', {})).toThrow(/no place/);
  });
});
