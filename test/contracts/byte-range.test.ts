import { byteRangeOf } from '../../contracts/byte-range';

it.each<[string | null, ReturnType<typeof byteRangeOf>]>([
  [null, undefined],
  ['bytes=0-', { start: 0, end: 9 }],
  ['bytes=2-5', { start: 2, end: 5 }],
  ['bytes=2-99', { start: 2, end: 9 }],
  ['bytes=-3', { start: 7, end: 9 }],
  ['bytes=-99', { start: 0, end: 9 }],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=10-12', 'unsatisfiable'],
  ['bytes=5-2', undefined],
  ['bytes=-', undefined],
  ['bytes=0-1,4-5', undefined],
  ['items=0-1', undefined],
])('the header %s requests %j of ten bytes', (header, range) => {
  expect(byteRangeOf(header, 10)).toEqual(range);
});
