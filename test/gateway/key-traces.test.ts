import { createHash } from 'node:crypto';
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

it('of encoded media, only what can be text is searched further', () => {
  const bytes = Array.from({ length: 10_000 }, (_, n) => createHash('sha256').update(String(n)).digest());
  const media = Buffer.concat(bytes);
  const key = CHARACTERS.slice(0, 31);
  const hidden = Buffer.concat([media, Buffer.from(key), media]);
  // Each search converts the text to lower case.
  const lower = jest.spyOn(String.prototype, 'toLowerCase');
  for (const coding of ['base64', 'hex'] as const) {
    const text = hidden.toString(coding);
    lower.mockClear();
    expect(createFindTraces(key)(text)).toHaveLength(1);
    const searched = lower.mock.contexts.reduce((sum: number, one) => sum + String(one).length, 0);
    expect(searched / text.length).toBeLessThan(1.1);
  }
  lower.mockRestore();
});

it('a key with a character that is not printable is found in encoded bytes', () => {
  const key = 'q7Kd\x01Wz2mXv9Tb4\xe9Rh6cJf';
  const encoded = Buffer.concat([Buffer.from(key, 'latin1'), Buffer.alloc(30)]).toString('base64');
  expect(createFindTraces(key)(encoded)).toHaveLength(1);
});
