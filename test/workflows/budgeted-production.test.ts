import { begin, charges, pictures, rig, states, waiting } from './budgeted-pictures';

describe('a production with a budget', () => {
  it('parks shots that do not fit, with the figures, and continues by itself once the budget is raised', async () => {
    await begin(pictures('raised', 'a', 'b', 'c', 'd'), 7);
    const parked = await waiting('raised');
    expect(states(parked).toSorted()).toEqual(['completed', 'completed', 'parked', 'parked']);
    const reasons = parked.shots.flatMap(({ parked: wait, reason }) => (wait?.for === 'budget' ? [reason] : []));
    expect(reasons).toContain('it needs 3 credits, and 1 of 7 credits are left');
    expect(reasons).toContainEqual(expect.stringMatching(/^"[abcd]" asked before: it needs 3/));
    expect(parked.budget).toEqual({ credits: 7, spent: 6, reserved: 0, unclear: 0 });
    expect(await rig.client.setBudget('raised', 8)).toMatchObject({ credits: 8 });
    expect(JSON.stringify((await waiting('raised')).shots)).toContain('2 of 8 credits');
    expect(charges('raised')).toBe(6);
    await rig.client.setBudget('raised', 12);
    expect(await rig.client.ended('raised')).toMatchObject({ state: 'completed', budget: { spent: 12, reserved: 0 } });
    expect(charges('raised')).toBe(12);
  });

  it("counts a take that the file's rules resend, and keeps the unclear sending reserved", async () => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await begin(pictures('resubmitted', 'a'), 5, { onUnclear: 'resubmit' });
    expect((await waiting('resubmitted')).budget).toEqual({ credits: 5, spent: 0, reserved: 3, unclear: 3 });
    expect(charges('resubmitted')).toBe(3);
    await rig.client.setBudget('resubmitted', 6);
    expect(await rig.client.ended('resubmitted')).toMatchObject({
      state: 'completed',
      budget: { spent: 3, reserved: 3, unclear: 3 },
    });
    expect(charges('resubmitted')).toBe(6);
  });
});
