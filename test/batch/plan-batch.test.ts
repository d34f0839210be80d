import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BatchPlan, planBatch } from '../../client/batch';
import { checkBatch } from '../../client/batch-file/check-batch';
import { viewStore } from '../../store';
import { temporaryFolder } from '../support/temporary-folder';

const PRICES = { 'beta-video': { perSecond: { '480p': 2 } } };
const CLIP = { model: 'beta-video', prompt: 'sea', resolution: '480p', duration: 5 };

describe('the plan of a batch', () => {
  it('counts the takes side by side of its productions, by the highest price, and those of unknown price', async () => {
    const shots = [
      { id: 'a', ...CLIP, takes: 3 },
      { id: 'b', ...CLIP },
      { id: 'c', model: 'zoom-9', prompt: 'sea' },
    ];
    const { rows, open, first, quote } = await planned({ productions: ['one', 'two'].map((id) => ({ id, shots })) });
    expect({ rows, open, first }).toEqual({ rows: 2, open: 2, first: ['one', 'two'] });
    expect(quote).toEqual({ tasks: 10, credits: 80, unknown: 2 });
  });

  it('names the parameters that are sent unchecked to unknown models', async () => {
    const { unchecked } = await planned({
      generations: [
        { key: 'a', model: 'zoom-9', promt: 'sea' },
        { key: 'b', model: 'zoom-9', prompt: 'sea', startFrame: 'https://example.com/dawn.png' },
        { key: 'c', ...CLIP },
      ],
    });
    expect(unchecked).toEqual({ 'zoom-9': ['promt', 'prompt', 'startFrame'] });
  });
});

async function planned(file: object): Promise<BatchPlan> {
  const folder = await temporaryFolder();
  const path = join(folder, 'rows.yaml');
  await writeFile(path, JSON.stringify(file));
  const loaded = await checkBatch(path, { policy: { fileValues: 'auto', dataUriMaxBytes: 1_000_000 } });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
  const store = await viewStore(join(folder, 'store'));
  try {
    const quotes = store.account('account').quotes(PRICES);
    return await planBatch(loaded.batch, { store, account: 'account', quotes, path, takeOver: false });
  } finally {
    await loaded.batch.close();
  }
}
