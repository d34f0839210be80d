import { readArguments } from '../../bench/arguments';

const NAMES = ['start', 'batch'];

describe("the bench's arguments", () => {
  it('mean all measures if none is named', () => {
    const measures = [
      { name: 'start', numbers: [] },
      { name: 'batch', numbers: [] },
    ];
    expect(readArguments([], NAMES)).toEqual({ measures, save: false });
    expect(readArguments(['--save'], NAMES)).toEqual({ measures, save: true });
  });

  it('give numbers to the measure before them', () => {
    expect(readArguments(['batch', '500', '64', 'start'], NAMES).measures).toEqual([
      { name: 'batch', numbers: [500, 64] },
      { name: 'start', numbers: [] },
    ]);
  });

  it.each([[['bach']], [['500']], [['--sav']]])('are refused with the allowed ones: %s', (args) => {
    expect(() => readArguments(args, NAMES)).toThrow(/there are start, batch, and --save/);
  });

  it('keep no figures of an unusual size', () => {
    expect(() => readArguments(['batch', '500', '--save'], NAMES)).toThrow(/leave the numbers out/);
  });
});
