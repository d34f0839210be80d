import { createFindTraces } from '../../gateway/key-traces';
import { createGivesKeyAway } from '../../gateway/redaction';

const CHARACTERS = 'q7Kd-Wz2mXv9Tb4_Rh6cJf1sPg8nLy3wQa5kZe0uVt';

/** Every part of a key with this many characters. */
function partsOf(key: string, length: number): string[] {
  return Array.from({ length: key.length - length + 1 }, (_, at) => key.slice(at, at + length));
}

describe.each([16, 17, 18, 19, 20, 23, 31, 42])('a key of %i characters', (length) => {
  const key = CHARACTERS.slice(0, length);
  const half = Math.floor(length / 2);

  it('is given away by each task id with more than half of it, and by none with half of it', () => {
    const givesKeyAway = createGivesKeyAway(key);
    expect(partsOf(key, half + 1).filter((part) => !givesKeyAway(`!${part}!`))).toEqual([]);
    expect(partsOf(key, half).filter((part) => givesKeyAway(`!${part}!`))).toEqual([]);
  });

  it('is found by each part of twelve characters, at its place', () => {
    const findTraces = createFindTraces(key);
    const places = partsOf(key, 12).map((part) => findTraces(`id=${part};`));
    expect(places).toEqual(places.map(() => [[3, 15]]));
  });
});

it('a key that is shorter than a trace is found whole', () => {
  expect(createFindTraces('k3y')('a k3y, a k3')).toEqual([[2, 5]]);
});
