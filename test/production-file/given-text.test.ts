import { givenText } from '../../client/production-file';

describe('a value that a program gives instead of a file', () => {
  it('becomes a text in which each line has its path', () => {
    const written = givenText({ id: 'film', gone: undefined, shots: [{ id: 'a' }, { id: 'b', files: [] }] });
    if ('issues' in written) throw new Error('it is plain');
    expect(JSON.parse(written.text)).toEqual({ id: 'film', shots: [{ id: 'a' }, { id: 'b', files: [] }] });
    const places = written.text.split('\n').map((text, index) => [text, written.placeAt(index + 1)]);
    expect(places).toContainEqual(['"id": "b",', 'shots[1].id']);
    expect(places[0]).toEqual(['{', undefined]);
  });

  it.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['a function', () => 1],
    ['a date', new Date(0)],
    ['a hole', [undefined]],
  ])('is refused if JSON cannot express it: %s', (_what, seed) => {
    expect(givenText({ shots: [{ seed }] })).toMatchObject({
      issues: [{ place: expect.stringMatching(/^shots\[0\]\.seed/) as string }],
    });
  });

  it('is refused quickly if it contains itself', () => {
    const round: Record<string, unknown> = {};
    Object.assign(round, { one: round, other: round });
    expect(givenText(round)).toMatchObject({ issues: { 0: { message: 'nested deeper than 40 levels' } } });
  });
});
