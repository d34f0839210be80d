import { type HeldLease } from '../../../contracts/gateway/arbiter';
import { AccountCredits } from '../../../workflows/arbiter/account-credits';

const held = (kind: string): HeldLease => ({ kind, units: 2, credits: null, model: 'beta-video' }) as HeldLease;

describe('the prices that an account has learned', () => {
  it('forgets the kind of task that was charged longest ago, not one that is in use', () => {
    const credits = new AccountCredits();
    for (const kind of ['in use', 'old']) credits.charge(held(kind), 10);
    for (let n = 0; n < 199; n += 1) {
      credits.charge(held(`kind ${n}`), 4);
      credits.charge(held('in use'), 8);
    }
    expect(credits.priceOf(held('in use'))).toBe(10);
    expect(credits.priceOf(held('old'))).toBeNull();
    expect(credits.priceOf(held('kind 0'))).toBe(4);
  });
});
