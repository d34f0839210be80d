import { MOST_PARKED } from '../../../contracts/render/batch';
import { stopReason } from '../../../workflows/batch/stop-reason';

type Parked = Parameters<typeof stopReason>[2][number];

const parked = (parkedFor: Parked['end']['parkedFor'], isEarlier?: true): Parked => ({
  end: { parkedFor },
  ...(isEarlier === undefined ? {} : { isEarlier }),
});
const many = (count: number, isEarlier?: true): readonly Parked[] =>
  Array.from({ length: count }, () => parked('unclear', isEarlier));

describe('a batch', () => {
  it.each<[string, number | null, number, readonly Parked[], string | undefined]>([
    ['goes on without failures', 1, 0, [parked('unclear')], undefined],
    ['goes on after any number of failures without a limit', null, 50, [], undefined],
    ['stops after ended and parked failures', 2, 1, [parked('failed')], 'stopped after 2 failures'],
    ['goes on although a row of an earlier run is parked as failed', 1, 0, [parked('failed', true)], undefined],
    ['stops without credits', 9, 0, [parked('credits')], 'the account has no credits left'],
    ['stops if many rows wait', null, 0, many(MOST_PARKED), `${MOST_PARKED} rows wait for people`],
    ['goes on while one row less waits', null, 0, many(MOST_PARKED - 1), undefined],
    ['goes on although many rows of an earlier run wait', null, 0, many(MOST_PARKED, true), undefined],
  ])('%s', (_what, stopAfterFailures, failed, rows, reason) => {
    expect(stopReason({ stopAfterFailures }, failed, rows)).toBe(reason);
  });
});
