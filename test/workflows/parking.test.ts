import { betaShot, linkedShot } from '../support/rig';
import { rig, accepted, start, parked, resolve, ended } from './parked-shots';

describe('a shot that cannot continue by itself', () => {
  it('unclear: is parked while other shots continue, and continues with the adopted task', async () => {
    const before = accepted();
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await start('adopted', [betaShot('lost'), linkedShot('after', 'lost')]);
    const shot = await parked('adopted', 'lost');
    expect(shot).toMatchObject({ parked: { for: 'unclear' }, reason: expect.stringContaining('500') });
    const taskId = rig.sandbox.tasks().at(-1)?.id ?? '';

    await expect(resolve('adopted', 'lost', { kind: 'wait' })).rejects.toThrow(
      'can be answered with adopt, resubmit, skip, use',
    );
    await expect(resolve('adopted', 'lost', { kind: 'adopt', taskId: 'nobody' })).rejects.toThrow(
      'does not know a task',
    );
    await expect(resolve('adopted', 'after', { kind: 'skip' })).rejects.toThrow('not under way');
    await expect(resolve('adopted', 'no-such', { kind: 'skip' })).rejects.toThrow('not under way');
    expect(accepted()).toBe(before + 1);

    await resolve('adopted', 'lost', { kind: 'adopt', taskId });
    expect(await ended('adopted')).toMatchObject({ state: 'completed' });
    expect(accepted()).toBe(before + 2);
    expect((await rig.store.ledger.takes('adopted', 'lost'))[0]?.decisions).toMatchObject([
      { kind: 'adopt', by: 'person' },
    ]);
    await expect(resolve('adopted', 'lost', { kind: 'skip' })).rejects.toThrow('not under way');
  });

  it('unclear: is resent once for each decision of a person', async () => {
    const before = accepted();
    rig.sandbox.faults.inject({ kind: 'accept-504', count: 1 });
    await start('again', [betaShot('lost')]);
    await parked('again', 'lost');
    await resolve('again', 'lost', { kind: 'resubmit' });
    expect(await ended('again')).toMatchObject({ state: 'completed' });
    expect(accepted()).toBe(before + 2);
    const takes = await rig.store.ledger.takes('again', 'lost');
    expect(takes).toHaveLength(1);
    expect(takes[0]?.decisions).toMatchObject([{ kind: 'resubmit', by: 'person', afterSending: 1 }]);
    expect(takes[0]?.sendings.map(({ n }) => n)).toEqual([1, 2]);
  });

  it('no credits: is parked, not failed, and the same take is sent once there are credits', async () => {
    const before = accepted();
    rig.sandbox.faults.inject({ kind: 'refuse-402', count: 1 });
    await start('poor', [betaShot('dear')]);
    expect(await parked('poor', 'dear')).toMatchObject({ parked: { for: 'credits' } });
    await resolve('poor', 'dear', { kind: 'resubmit' });
    expect(await ended('poor')).toMatchObject({ state: 'completed' });
    expect(accepted()).toBe(before + 1);
    expect(await rig.store.ledger.takes('poor', 'dear')).toHaveLength(1);
  });
});
