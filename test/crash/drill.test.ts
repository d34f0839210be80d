import { type Fault, planFaults } from '../../drill/schedule';

const POSTS = 2;

describe('the drill', () => {
  it('injects the same faults for the same seed, and others for another', () => {
    const faults = planFaults(7, 2, 2);
    expect(planFaults(7, 2, 2)).toEqual(faults);
    expect(planFaults(8, 2, 2)).not.toEqual(faults);
    expect(faults.map(({ atMs }) => atMs)).toEqual(faults.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
  });

  it('injects every kind of fault within ten minutes, at least a hundred SIGKILLs and three hundred faults in all', () => {
    const faults = planFaults(11, 10, POSTS).map(({ fault }) => fault);
    expect(new Set(faults.map(({ kind }) => kind)).size).toBe(10);
    expect(faults.length).toBeGreaterThanOrEqual(300);
    expect(faults.reduce((sum, fault) => sum + killsOf(fault), 0)).toBeGreaterThanOrEqual(100);
  });
});

function killsOf(fault: Fault): number {
  switch (fault.kind) {
    case 'worker-kill':
    case 'temporal-kill':
    case 'wire-point':
      return 1;
    case 'fail-point':
      return fault.order.action === 'kill' ? 1 : 0;
    case 'ledger-loss':
      return POSTS;
    default:
      return 0;
  }
}
