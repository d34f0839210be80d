import { GrantedLeases } from '../../../workflows/take/lease-client';

const LEASE = { takeKey: 'k'.repeat(64), sending: 1, epoch: 1, runId: 'run', useBy: '2026-11-30T08:02:00.000Z' };
const WANTED = { takeKey: LEASE.takeKey, sending: 1 };

function leases(isReturnedOnce = true): GrantedLeases {
  return new GrantedLeases(() => isReturnedOnce);
}

describe('the granted leases', () => {
  it('return a lease that was given back only once, since it may be of another take now', () => {
    const granted = leases();
    granted.add({ ...LEASE });
    granted.dropReturned(WANTED, null);
    expect(granted.return(WANTED, null)).toMatchObject(LEASE);
    granted.dropReturned(WANTED, null);
    expect(granted.find(WANTED, null)).toBeUndefined();
  });

  it('return a lease that the arbiter grants again', () => {
    const granted = leases();
    granted.add({ ...LEASE });
    granted.return(WANTED, null);
    granted.add({ ...LEASE });
    granted.dropReturned(WANTED, null);
    expect(granted.return(WANTED, null)).toMatchObject(LEASE);
  });

  it('do not return a refused lease, in a later wait either', () => {
    const granted = leases();
    granted.add({ ...LEASE });
    const refused = granted.return(WANTED, null);
    granted.dropReturned(WANTED, refused);
    expect(granted.find(WANTED, refused)).toBeUndefined();
    granted.dropReturned(WANTED, null);
    expect(granted.find(WANTED, null)).toBeUndefined();
  });

  it('return it again in replays of older histories', () => {
    const granted = leases(false);
    granted.add({ ...LEASE });
    granted.return(WANTED, null);
    granted.dropReturned(WANTED, null);
    expect(granted.return(WANTED, null)).toMatchObject(LEASE);
  });
});
