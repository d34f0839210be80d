import { planFaults } from '../../drill/schedule';

describe('the drill', () => {
  it('deals the same faults for the same seed, and others for another', () => {
    const faults = planFaults(7, 2, 2);
    expect(planFaults(7, 2, 2)).toEqual(faults);
    expect(planFaults(8, 2, 2)).not.toEqual(faults);
    expect(faults.map(({ atMs }) => atMs)).toEqual(faults.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
  });

  it('deals every kind of fault within a long drill, at least thirty SIGKILLs and a hundred faults in all', () => {
    const faults = planFaults(1, 6, 2).map(({ fault }) => fault);
    expect(new Set(faults.map(({ kind }) => kind)).size).toBe(6);
    expect(faults.length).toBeGreaterThanOrEqual(100);
    const kills = faults.filter((fault) =>
      fault.kind === 'fail-point'
        ? fault.order.action === 'kill'
        : ['worker-kill', 'temporal-kill', 'wire-point'].includes(fault.kind),
    );
    expect(kills.length).toBeGreaterThanOrEqual(30);
  });
});
