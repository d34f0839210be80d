import { join } from 'node:path';
import { mutated } from '../../fuzz/mutations';
import { goodSamples } from '../../fuzz/samples';
import { KEY, keptOf, TARGETS } from '../../fuzz/targets';
import { asFields, readCredits, readResult } from '../../gateway/readings';
import { temporaryFolder } from '../support/temporary-folder';

describe('the samples of completed tasks', () => {
  it('have clip, last frame and charge where they are looked for', async () => {
    const samples = await goodSamples(join(__dirname, '../..'), await temporaryFolder());
    const answers = samples
      .filter(({ target }) => target === 'answer')
      .map(({ bytes }) => asFields(JSON.parse(bytes.toString())));
    const responses = answers.map((answer) => asFields(answer['response']));
    const clips = responses.filter((response) => readResult(response).files.length > 0);
    expect(clips.map((response) => readResult(response).lastFrameUrl)).not.toContain(null);
    expect(clips.map(readCredits)).toEqual([20, 20]);
    expect(clips.filter((response) => readResult(response).url === null)).toHaveLength(1);
  });

  it('are read, although their addresses contain the key', async () => {
    const folder = await temporaryFolder();
    const samples = await goodSamples(join(__dirname, '../..'), folder);
    for (const { bytes, name } of samples.filter(({ target }) => target === 'answer').slice(2, 4)) {
      expect(await TARGETS.answer({ path: join(folder, name), bytes, folder, round: 0 })).toBe('read');
    }
  });
});

describe('what is kept of an answer', () => {
  it('includes the addresses in the raw result, and no others', () => {
    const result = { url: `clip-${KEY}`, files: [], lastFrameUrl: KEY, text: null, model: null, raw: {} };
    expect(keptOf({ state: 'completed', result })).not.toContain(KEY);
    expect(keptOf({ state: 'completed', result: { ...result, raw: { url: KEY } } })).toContain(KEY);
    expect(keptOf({ taskId: KEY })).toContain(KEY);
  });
});

describe('a mutated file', () => {
  it('may contain a lone surrogate, which is never replaced', () => {
    const sample = Buffer.from('{"prompt":"A pier."}');
    const files = Array.from({ length: 4_000 }, (_, seed) => mutated(sample, seed));
    expect(files.some((file) => file.includes(Buffer.from('eda080', 'hex')))).toBe(true);
    expect(files.some((file) => file.includes(Buffer.from('efbfbd', 'hex')))).toBe(false);
  });
});
