import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatIssues, loadProduction } from '../../client/production-file';
import { policy } from '../production-file/production-fixtures';
import { temporaryFolder } from '../support/temporary-folder';
import { calibrationSeconds } from '../tiers/calibration.cjs';

/**
 * Most CPU, in units of the calibration, which takes a third of a second. Before they were refused, each of these files
 * ran from half a minute to hours.
 */
const MOST_CALIBRATIONS = 30;

const EIGHT_MEGABYTES = 8 * 1024 * 1024;
const toTheFull = (piece: string, before = '', after = ''): string =>
  before + piece.repeat(Math.floor((EIGHT_MEGABYTES - before.length - after.length) / piece.length)) + after;

describe('a production file that is made to take long', () => {
  const folder = temporaryFolder();
  const calibration = calibrationSeconds();

  async function refusal(text: string): Promise<{ readonly words: string; readonly seconds: number }> {
    const path = join(await folder, 'film.yaml');
    await writeFile(path, text);
    const before = process.cpuUsage();
    const loaded = await loadProduction(path, policy);
    const { user, system } = process.cpuUsage(before);
    return { words: loaded.ok ? '' : formatIssues(loaded.issues), seconds: (user + system) / 1e6 };
  }

  const shot = (index: number): string => `  - id: s${index}\n    model: alpha-video\n    prompt: Dawn.\n`;
  const keys = Array.from({ length: 500_000 }, (_, index) => `  k${index}: 1\n`).join('');
  const nested = Array.from({ length: 100 }, (_, index) => `- &a${index} [x]\n`).join('');
  const many = Array.from({ length: 4_900 }, (_, index) => `*a${index % 100}`).join(', ');

  it.each([
    ['8 MB of aliases', toTheFull('- *a\n', 'a: &a 1\nb:\n'), 'aliases'],
    ['8 MB of aliases in brackets', toTheFull('*a,', 'a: &a 1\nb: [', ']'), 'aliases'],
    ['120,000 shots', `shots:\n${Array.from({ length: 120_000 }, (_, index) => shot(index)).join('')}`, 'shots'],
    ['120,000 shots in JSON', JSON.stringify({ shots: Array(120_000).fill({ id: 'a', prompt: 'Dawn.' }) }), 'shots'],
    ['120,000 empty shots', `shots:\n${'  -\n'.repeat(120_000)}`, 'shots'],
    ['a map of half a million keys', `shots:\n- id: a\nmodels:\n${keys}`, 'keys'],
    ['half a million keys without values', `shots: {${keys.replaceAll(': 1\n', ',')}}`, 'keys'],
    ['brackets without end', toTheFull('['), 'nested'],
    ['dashes without end', toTheFull('- '), 'nested'],
    ['comments without end', toTheFull('#\n', 'shots: []\n'), 'words and punctuation marks'],
    ['lines without end', toTheFull('\n', 'shots: []\n'), 'words and punctuation marks'],
    ['aliases of aliases', `a:\n${nested}shots:\n- &b [${many}]\n- *b\n`, 'is'],
    ['documents without end', toTheFull('---\n'), 'document'],
  ])('is refused quickly: %s', async (_name, text, word) => {
    const { words, seconds } = await refusal(text);
    expect(words).toContain(word);
    expect(seconds / calibration).toBeLessThan(MOST_CALIBRATIONS);
  });
});
