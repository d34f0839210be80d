import { type CountedShot, shotsInWords } from '../../../client/status/shots-in-words';

const video = (id: string): CountedShot => ({ id, makes: 'video' });

describe('the number of shots in words', () => {
  it.each<[readonly CountedShot[], string]>([
    [[video('a')], '1 shot'],
    [[video('a'), video('b.wide')], '2 shots'],
    [[video('a'), { id: 'a.startFrame', makes: 'image' }], '1 shot and 1 still'],
    [
      [video('a.b'), { id: 'a.b.imageUrls.2', makes: 'image' }, { id: 'a.b.prompt', makes: 'text' }, video('c')],
      '2 shots, 1 still and 1 text',
    ],
  ])('does not count what is written inside of one: %j', (shots, words) => {
    const all = shots.map(({ id }) => id);
    expect(shotsInWords(shots, all)).toBe(words);
  });

  it('also counts stills alone', () => {
    expect(shotsInWords([{ id: 'a.startFrame', makes: 'image' }], ['a', 'a.startFrame'])).toBe('1 still');
  });
});
