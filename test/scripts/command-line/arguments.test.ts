import { integer, positive } from '../../../scripts/command-line/arguments';

describe('a whole number on the command line', () => {
  it.each(['0', '7', '2147483647', '9007199254740991'])('is %s', (value) => {
    expect(integer(value)).toBe(Number(value));
  });

  it.each(['', '-1', '1.5', '1e3', 'x', '9007199254740993'])('is not %j', (value) => {
    expect(() => integer(value)).toThrow('whole number');
  });

  it('is refused as too small if it must be 1 or more', () => {
    expect(() => positive('0')).toThrow('1 or more');
  });
});
