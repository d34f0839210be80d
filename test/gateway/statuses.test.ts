import { GatewayError } from '../../gateway';
import { isRefusedForGood, REFUSALS, STATUSES, submitRefusal, type SubmitRefusal } from '../../gateway/statuses';

describe('the reason for which a submit is refused', () => {
  const refusal = (status: number | null, kind: GatewayError['kind'] = 'response'): SubmitRefusal =>
    submitRefusal(
      new GatewayError({
        kind,
        method: 'POST',
        path: '/submit',
        what: 'was refused',
        acceptance: 'no',
        ...(status === null ? {} : { status }),
      }),
    );

  it.each<[SubmitRefusal, number[]]>([
    ['key', [401, 403]],
    ['credits', [402]],
    ['throttled', [429]],
    ['down', [500, 502, 503, 504]],
  ])('%s is temporary, and the same take may be sent later', (expected, statuses) => {
    expect(statuses.map((status) => refusal(status))).toEqual(statuses.map(() => expected));
    expect(REFUSALS[expected].again).toBe(true);
  });

  it('is final and about the request for any other definite refusal', () => {
    const final = Object.keys(STATUSES).filter((status) => isRefusedForGood(Number(status)));
    expect(final).toEqual(['301', '307', '308', '400', '404', '409', '413', '415', '422']);
    expect(refusal(409)).toBe('conflict');
    expect(refusal(422)).toBe('input');
  });

  it.each([408, 501, 599])('%i is about the request too, if a setting declares it definite', (status) => {
    expect(refusal(status)).toBe('input');
  });

  it('without a status, is that the gateway cannot be reached or the request cannot be written', () => {
    expect(refusal(null, 'network')).toBe('down');
    expect(refusal(null, 'timeout')).toBe('down');
    expect(refusal(null, 'protocol')).toBe('input');
  });
});
