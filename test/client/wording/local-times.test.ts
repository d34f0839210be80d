import { withLocalTimes } from '../../../client/wording/local-times';

describe('a text for a person', () => {
  const inBerlin = (text: string): string => withLocalTimes(text, 'Europe/Berlin');

  it('has local times, with the zone and without milliseconds', () => {
    expect(inBerlin('waits since 2026-01-01T23:30:05.123Z, until 2026-07-01T08:00:00Z.')).toBe(
      'waits since 2026-01-02 00:30:05 CET, until 2026-07-01 10:00:00 CEST.',
    );
    expect(withLocalTimes('since 2026-01-01T23:30:05.123Z', 'UTC')).toBe('since 2026-01-01 23:30:05 UTC');
  });

  it.each([
    'type `dailies schedule backfill night --from 2026-01-01T00:00:00.000Z`',
    'the value "2026-01-01T00:00:00Z" is no instant of the schedule',
    'moved to out/film.2026-01-01T00:00:00.000Z.mp4',
    'the run night-2026-01-01T00:00:00Z',
    'ready by 2026-03-01T08:00:00+01:00',
    'since 2026-99-99T00:00:00Z',
  ])('does not change names and text to type: %s', (text) => {
    expect(inBerlin(text)).toBe(text);
  });
});
