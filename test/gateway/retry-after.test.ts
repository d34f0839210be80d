import { RETRY_AFTER_MAX_MS } from '../../gateway';
import { readRetryAfter } from '../../gateway/retry-after';
import { BETA, client, closeAll, errorOf, serve } from './servers';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const IN_A_MINUTE = 'Fri, 20 Nov 2026 10:01:00 GMT';

afterEach(closeAll);

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['7', 7_000],
    [' 1.5 ', 1_500],
    [IN_A_MINUTE, 60_000],
    ['Friday, 20-Nov-26 10:01:00 GMT', 60_000],
    ['Fri Nov 20 10:01:00 2026 GMT', 60_000],
  ])('reads %p', (header, expected) => {
    expect(readRetryAfter(header, null, NOW)).toBe(expected);
  });

  it.each([null, '', 'soon', '-5', 'NaN', 'Infinity', '0x10', '2026-11-20', 'Fri, someday'])(
    'does not guess at %p',
    (header) => {
      expect(readRetryAfter(header, null, NOW)).toBeNull();
    },
  );

  it('is at once for a date that has passed', () => {
    expect(readRetryAfter('Fri, 20 Nov 2026 09:00:00 GMT', null, NOW)).toBe(0);
  });

  it.each(['999999999', 'Sat, 20 Nov 2027 10:00:00 GMT'])('is bounded for %p', (header) => {
    expect(readRetryAfter(header, null, NOW)).toBe(RETRY_AFTER_MAX_MS);
  });

  it("measures a date by the server's own clock if it shows one", () => {
    expect(readRetryAfter(IN_A_MINUTE, 'Fri, 20 Nov 2026 10:00:50 GMT', NOW)).toBe(10_000);
    expect(readRetryAfter(IN_A_MINUTE, 'no date', NOW)).toBe(60_000);
  });

  it.each([
    ['30', 30_000],
    [IN_A_MINUTE, 20_000],
  ])('reaches the error of a read, given as %s', async (header, expected) => {
    const { url } = await serve((_, response) => {
      response.writeHead(429, { 'retry-after': header, date: 'Fri, 20 Nov 2026 10:00:40 GMT' }).end();
    });
    const error = await errorOf(client(url).read({ taskId: 't-1', model: BETA }));
    expect(error).toMatchObject({ status: 429, retryAfterMs: expected });
  });
});
