import { batchEnded, startRows, textRow } from '../support/batches';
import { DUE_SECONDS, FALLBACK, rig, inSeconds, clips, lines } from './ready-by-batches';

describe('a batch with a readyBy time', () => {
  it('does not change rows that make no video', async () => {
    const time = { readyBy: inSeconds(DUE_SECONDS), fallback: FALLBACK };
    await startRows(rig, 'mixed', [textRow('t1'), ...clips('mixed', 1)], { time });
    expect(await batchEnded(rig, 'mixed')).toMatchObject({ state: 'completed', readyBy: { fallback: 1 } });
    expect((await lines('mixed')).map(({ key, fallback }) => [key, fallback])).toEqual([
      ['t1', false],
      ['r1', true],
    ]);
  });
});
