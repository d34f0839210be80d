import { z } from 'zod';
import { cellValue } from '../../client/production-file/text/cell-value';
import { jsonOrText, pairs } from '../../client/production-file/text/flag-values';

describe('a number in a cell or flag', () => {
  const long = '20241231123456789012';

  it.each([long, '1e999', '-1e999', '9007199254740993'])('stays text if it would lose digits: %s', (text) => {
    expect(cellValue(text, undefined)).toBe(text);
    expect(cellValue(text, z.int())).toBe(text);
    expect(jsonOrText(text)).toBe(text);
  });

  it.each(['0', '7', '-3.50', '1.5e3', '15E-1', '0.10', '9007199254740992', '3.3333333333333333', '1e21', '0.000001'])(
    'becomes a number if it loses nothing: %s',
    (text) => {
      expect(cellValue(text, undefined)).toBe(Number(text));
      expect(jsonOrText(text)).toBe(Number(text));
    },
  );

  it('in a list or map is refused if it would lose digits', () => {
    expect(cellValue(`[${long}]`, z.array(z.number()))).toBe(`[${long}]`);
    expect(pairs('--set', [`seeds=[${long}]`, `names=["${long}"]`]).issues).toEqual([
      { flag: '--set seeds', message: expect.stringContaining('quotes') as string },
    ]);
    expect(jsonOrText(`["${long}", null]`)).toEqual([long, null]);
    expect(jsonOrText('null')).toBeNull();
  });
});
