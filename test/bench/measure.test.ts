import { found } from '../../bench/finding';
import { runMeasure } from '../../bench/measure';

describe('a measure', () => {
  it('continues if a part cannot be measured, and says which one and why', async () => {
    const lines: string[] = [];
    const measured = await runMeasure(
      {
        title: 'Bytes',
        parts: () => [
          { title: 'download', measure: () => Promise.reject(new Error('curl cannot be started')) },
          { title: 'film', measure: () => Promise.resolve([found('film', 'ms', [3, 1, 2])]) },
        ],
      },
      [],
      (line) => lines.push(line),
    );
    expect(measured).toEqual({ findings: [found('film', 'ms', [3, 1, 2])], missing: ['download'] });
    expect(lines).toEqual([
      '\nBytes',
      expect.stringMatching(/^ {2}download +COULD NOT BE MEASURED: curl cannot be started$/),
      expect.stringMatching(/^ {2}film +2 ms \(1 to 3\)$/),
    ]);
  });

  it('omits a part without a number, which would be stored as 0', async () => {
    const lines: string[] = [];
    const parts = () => [{ title: 'hand-off', measure: () => Promise.resolve([found('download', 'ms', [3, NaN])]) }];
    const measured = await runMeasure({ title: 'Chain', parts }, [], (line) => lines.push(line));
    expect(measured).toEqual({ findings: [], missing: ['hand-off'] });
    expect(lines.at(-1)).toMatch(/hand-off +COULD NOT BE MEASURED: download has a value that is not a finite number$/);
  });
});
