import { type ManifestExpected } from '../../../contracts/manifest';
import { expectedInWords, isWorthPrinting } from '../../../client/plan/expected-in-words';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');

const expected = (low: number, middle: number, high: number, waitsThen = false): ManifestExpected => {
  const [earliest, at, latest] = [low, middle, high].map((seconds) => new Date(NOW + seconds * 1_000).toISOString());
  return { earliest: earliest!, at: at!, latest: latest!, waitsThen };
};

describe('an expected end in words', () => {
  it.each<[ManifestExpected, string]>([
    [expected(240, 350, 550), 'about 6 min (4 to 9) to go'],
    [expected(350, 360, 370), 'about 6 min to go'],
    [expected(20, 41, 58, true), 'about 40 s (20 to 60) until it waits for you'],
    [expected(10, 20, 200), 'about 1 min (1 to 3) to go'],
    [expected(5_000, 9_000, 14_000), 'about 2.5 h (1.5 to 4) to go'],
    [expected(0, 3, 8), 'a few seconds to go'],
    [expected(-60, -30, -10), 'a few seconds to go'],
    [expected(-60, -30, 30), 'about 5 s (5 to 30) to go'],
  ])('%j: %s', (given, words) => {
    expect(expectedInWords(given, NOW)).toBe(words);
  });

  it('is printed again only if the printed one no longer holds', () => {
    const told = expected(240, 350, 550);
    expect(isWorthPrinting(null, told, NOW)).toBe(true);
    expect(isWorthPrinting(told, null, NOW)).toBe(false);
    expect(isWorthPrinting(null, expected(1, 2, 9), NOW)).toBe(false);
    expect(isWorthPrinting(told, expected(300, 500, 600), NOW)).toBe(false);
    expect(isWorthPrinting(told, expected(500, 600, 700), NOW)).toBe(true);
    expect(isWorthPrinting(told, expected(100, 200, 300), NOW)).toBe(true);
    expect(isWorthPrinting(told, { ...told, waitsThen: true }, NOW)).toBe(true);
  });
});
