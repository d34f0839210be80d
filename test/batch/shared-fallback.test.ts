import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freezeBatch } from '../../client/batch';
import { checkBatch, type CheckedBatch } from '../../client/batch-file/check-batch';
import { intoStore } from '../../client/batch/freeze-batch';
import { formatRowIssues } from '../../client/batch-file/row-issue';
import { openStore, readBatchPage, type Store } from '../../store';
import { temporaryFolder } from '../support/temporary-folder';

const policy = { fileValues: 'auto', dataUriMaxBytes: 1_000_000 } as const;
const READY_BY = '2031-03-01T08:00:00Z';

/** Checks a batch file, and returns its errors, one line each. */
async function check(file: object | string): Promise<CheckedBatch | readonly string[]> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'folder'));
  const path = join(folder, 'shop.yaml');
  await writeFile(path, typeof file === 'string' ? file : JSON.stringify(file, null, 1));
  const loaded = await checkBatch(path, { policy });
  if (loaded.ok) return loaded.batch;
  return formatRowIssues(loaded.issues, loaded.count)
    .split('\n')
    .map((line) => line.replaceAll(`${folder}/`, ''));
}
const CLIP = { model: 'beta-video', duration: 5, resolution: '480p' };
const clip = (key: string, changes: object = {}): object => ({
  key,
  prompt: `the pier, ${key}`,
  ...CLIP,
  ...changes,
});
const picture = (key: string): object => ({ key, model: 'pixel-image-1', prompt: 'a cup' });
const MODELS = { 'pixel-image-1': { output: 'image' } };
const film = (id: string, shots: readonly object[], changes: object = {}): object => ({ id, shots, ...changes });
const shot = (id: string): object => ({ id, prompt: `the pier, ${id}`, ...CLIP });

describe('the fallback of a batch file', () => {
  it.each<readonly [string, object, RegExp]>([
    ['without readyBy', { fallback: { duration: 4 } }, /column "fallback": fallback needs readyBy; add it/],
    ['that is empty', { readyBy: READY_BY, fallback: {} }, /column "fallback": fallback is empty; name at least one/],
    ['with an unknown value', { readyBy: READY_BY, fallback: { length: 4 } }, /"length"/],
    [
      'with two takes',
      { readyBy: READY_BY, fallback: { takes: 2 } },
      /"fallback.takes": takes is 2, and a row is one task/,
    ],
    [
      'of a model that is unknown',
      { readyBy: READY_BY, fallback: { model: 'beta-vidoe' } },
      /"fallback.model": .*Did you mean/,
    ],
    [
      'of a model that makes no video',
      { readyBy: READY_BY, models: MODELS, fallback: { model: 'pixel-image-1', duration: 4 } },
      /"fallback\.(model|duration)"/,
    ],
    [
      'that is too long',
      { readyBy: READY_BY, fallback: { model: 'alpha-video', duration: 25 } },
      /"fallback.duration": duration is 25.*\(in rows 1, 2\)/,
    ],
  ])('%s is refused', async (_what, more, wrong) => {
    const found = await check({ ...more, generations: [clip('a'), clip('b')] });
    expect(found).toEqual([expect.stringMatching(wrong)]);
    expect((found as readonly string[])[0]).toMatch(/^shop\.yaml:\d+/);
  });

  it('is refused if no row makes video, or for an invalid time', async () => {
    const rows = { models: MODELS, generations: [picture('a')] };
    expect(await check({ ...rows, readyBy: READY_BY, fallback: { duration: 4 } })).toEqual([
      expect.stringMatching(/column "fallback": fallback is for rows that make video, and no row does/),
    ]);
    const films = {
      productions: [
        film('a', [{ ...shot('s'), model: 'pixel-image-1', duration: undefined, resolution: undefined }], {
          models: MODELS,
        }),
      ],
    };
    expect(await check({ ...films, readyBy: READY_BY, fallback: { duration: 4 } })).toEqual([
      expect.stringMatching(/no row does/),
    ]);
    expect(await check({ generations: [clip('a')], readyBy: '25:00' })).toEqual([
      expect.stringMatching(/readyBy is "25:00"; it must be a time of day, such as 08:00/),
    ]);
  });

  it('reports an error of many rows once for all pages, with the first row', async () => {
    const rows = Array.from({ length: 450 }, (_, index) => clip(`r${index + 1}`));
    const found = await check({
      readyBy: READY_BY,
      fallback: { model: 'alpha-video', duration: 25 },
      generations: rows,
    });
    expect(found).toEqual([expect.stringMatching(/:5 column "fallback.duration": .*\(in rows 1, 2, 3, 4, 5 …\)$/)]);
    const films = [film('a', [shot('s')]), film('b', [shot('s')]), film('c', [shot('s')], { readyBy: READY_BY })];
    expect(
      await check({ readyBy: READY_BY, fallback: { model: 'alpha-video', duration: 25 }, productions: films }),
    ).toEqual([expect.stringMatching(/"fallback.duration": duration is 25.*\(in rows 1, 2\)$/)]);
  });

  it("reports an error in a production's own fallback at its row", async () => {
    const films = [film('a', [shot('s')], { fallback: { model: 'alpha-video', duration: 25 } })];
    expect(await check({ readyBy: READY_BY, productions: films })).toEqual([
      expect.stringMatching(/row 1, column "fallback.duration"/),
    ]);
  });
});

describe('a batch with a fallback, frozen', () => {
  let store: Store;
  beforeAll(async () => {
    store = await openStore(await temporaryFolder());
  });
  async function frozen(file: object): ReturnType<typeof freezeBatch> {
    const batch = await check(file);
    if (!('read' in batch)) throw new Error(batch.join('\n'));
    try {
      return await freezeBatch(batch, {
        target: intoStore(store),
        isDone: ({ key }) => Promise.resolve(key === 'done'),
        modeOf: () => Promise.resolve(undefined),
      });
    } finally {
      await batch.close();
    }
  }
  const time = { readyBy: READY_BY, fallback: { duration: 4, takes: 1 } };

  it('has another form of the rows that it changes, with the same digests', async () => {
    const generations = [clip('a'), clip('short', { duration: 4 }), picture('p'), clip('done')];
    const index = await frozen({ ...time, models: MODELS, generations });
    const plain = await frozen({ models: MODELS, generations });
    expect([index.content, index.openByModel]).toEqual([plain.content, { 'beta-2.5': 2, 'pixel-image-1': 1 }]);
    expect(plain.openByModel).toEqual(index.openByModel);
    const [page, plainPage] = await Promise.all(
      [index, plain].map(({ pages: [ref] }) => readBatchPage(store.assets, ref!)),
    );
    expect(plainPage?.lowered).toBeUndefined();
    expect(JSON.stringify(plainPage)).not.toContain('fallback');
    const rows = page!.rows.map(({ key, ...row }) => [key, 'fallback' in row && row.fallback.model] as const);
    expect(rows).toEqual([
      ['a', 'beta-2.5'],
      ['short', false],
      ['p', false],
      ['done', 'beta-2.5'],
    ]);
    const lowered = JSON.parse(await readFile(store.assets.shownPath(page!.lowered!), 'utf8')) as {
      shots: { id: string; parameters: { duration: number } }[];
    };
    expect(lowered.shots.map(({ id, parameters: { duration } }) => [id, duration])).toEqual([
      ['a', 4],
      ['done', 4],
    ]);
  });

  it('passes its readyBy to productions that name none', async () => {
    const own = '2031-03-02T08:00:00Z';
    const productions = [film('a', [shot('s')]), film('b', [shot('s')], { readyBy: own })];
    const { pages } = await frozen({ ...time, productions });
    const { rows } = await readBatchPage(store.assets, pages[0]!);
    const times = rows.map((row) => (row.kind === 'production' ? row.plan.readyBy : undefined));
    expect(times).toEqual([
      expect.objectContaining({ at: '2031-03-01T08:00:00.000Z', fallback: expect.anything() }),
      expect.objectContaining({ at: '2031-03-02T08:00:00.000Z' }),
    ]);
    expect(times[1]).not.toHaveProperty('fallback');
  });
});
