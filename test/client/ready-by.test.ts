import { readyByRule, readyInstant } from '../../contracts/file/ready-by';

/** The instant that a file's text means at a moment. */
function ready(text: string, from: string, timeZone = 'UTC'): string {
  const rule = readyByRule(text);
  if (rule === undefined) throw new Error(`${text} is no such time`);
  return readyInstant(rule, { ms: Date.parse(from), timeZone });
}

describe('the instant of readyBy', () => {
  it('is the next such time in the named zone, else in that of the machine', () => {
    expect(ready('08:00 Europe/Berlin', '2026-06-10T05:00:00Z')).toBe('2026-06-10T06:00:00.000Z');
    expect(ready('08:00 Europe/Berlin', '2026-06-10T06:00:00Z')).toBe('2026-06-11T06:00:00.000Z');
    expect(ready('08:00', '2026-06-10T23:30:00Z', 'Asia/Tokyo')).toBe('2026-06-11T23:00:00.000Z');
    expect(ready('00:15 America/New_York', '2026-12-31T23:00:00Z')).toBe('2027-01-01T05:15:00.000Z');
  });

  it('keeps the wall clock time across a clock change', () => {
    expect(ready('08:00 Europe/Berlin', '2026-03-28T12:00:00Z')).toBe('2026-03-29T06:00:00.000Z');
    expect(ready('08:00 Europe/Berlin', '2026-10-24T12:00:00Z')).toBe('2026-10-25T07:00:00.000Z');
  });

  it('is shifted if the day has no such time, and the first if it has two', () => {
    // 02:30 does not exist: clocks go from 02:00 to 03:00 at 01:00 UTC.
    expect(ready('02:30 Europe/Berlin', '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:30:00.000Z');
    expect(ready('02:30 Europe/Berlin', '2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z');
    // Past the first of the two, the next is a day later.
    expect(ready('02:30 Europe/Berlin', '2026-10-25T00:45:00Z')).toBe('2026-10-26T01:30:00.000Z');
    expect(ready('02:15 Australia/Lord_Howe', '2026-10-03T00:00:00Z')).toBe('2026-10-03T15:45:00.000Z');
  });

  it('is the written instant, even if it has passed', () => {
    expect(ready('2026-03-01T08:00:00+01:00', '2027-01-01T00:00:00Z')).toBe('2026-03-01T07:00:00.000Z');
  });

  it.each([
    '8:00',
    '24:00',
    '08:00 Nowhere/Town',
    '2026-03-01T08:00:00',
    '2026-02-30T08:00:00Z',
    'soon',
    '08:00 UTC x',
  ])('does not accept %s as a time', (text) => {
    expect(readyByRule(text)).toBeUndefined();
  });
});
