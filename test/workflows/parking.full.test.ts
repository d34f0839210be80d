import { liveStatusOf } from '../support/live-status';
import { betaShot, film, linkedShot } from '../support/rig';
import { until } from '../support/until';
import { rig, accepted, start, parked, resolve, ended } from './parked-shots';

describe('a shot that cannot continue by itself', () => {
  beforeAll(() => parkWithLateAnswer());

  /** The last test sees what becomes of it. */
  async function parkWithLateAnswer(): Promise<void> {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await start('late', [betaShot('slow')]);
    await parked('late', 'slow');
    const record = { taskId: rig.sandbox.tasks().at(-1)?.id ?? '', at: new Date().toISOString() };
    await rig.store.ledger.endSending({ productionId: 'late', shotId: 'slow', take: 1 }, 1, {
      kind: 'accepted',
      record,
    });
  }

  it('unclear: does not adopt the task of another take', async () => {
    await start('owner', [betaShot('one')]);
    await ended('owner');
    rig.sandbox.faults.inject({ kind: 'accept-drop', count: 1 });
    await start('two-shots', [betaShot('first')]);
    await parked('two-shots', 'first');
    const [mine] = rig.sandbox.tasks().slice(-1);
    await resolve('two-shots', 'first', { kind: 'adopt', taskId: mine?.id ?? '' });
    await ended('two-shots');
    rig.sandbox.faults.inject({ kind: 'accept-drop', count: 1 });
    const other = film('two-shots', [betaShot('first'), betaShot('second')]);
    await rig.start(other, { assemble: false });
    await parked('two-shots', 'second');
    await expect(resolve('two-shots', 'second', { kind: 'adopt', taskId: mine?.id ?? '' })).rejects.toThrow(
      'belongs to take 1 of "first" in "two-shots"',
    );
    await resolve('two-shots', 'second', { kind: 'skip' });
    await ended('two-shots');
  });

  it('unclear: is resent automatically if the file says so, and only once', async () => {
    const before = accepted();
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 2 });
    await start('policy', [betaShot('lost')], { onUnclear: 'resubmit' });
    await parked('policy', 'lost');
    expect(accepted()).toBe(before + 2);
    await resolve('policy', 'lost', { kind: 'skip' });
    await ended('policy');
  });

  it('unclear: stays unclear if the gateway answers a resend as a duplicate, and the first task is adopted', async () => {
    const before = accepted();
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await start('refused-again', [betaShot('lost')]);
    await parked('refused-again', 'lost');
    rig.sandbox.faults.inject({ kind: 'refuse-409', on: 'submit', count: 1 });
    await resolve('refused-again', 'lost', { kind: 'resubmit' });
    await until(async () => (await parked('refused-again', 'lost')).reason?.includes('sent again, it was refused'));
    const [first] = rig.sandbox.tasks().slice(before);
    await resolve('refused-again', 'lost', { kind: 'adopt', taskId: first!.id });
    expect(await ended('refused-again')).toMatchObject({ state: 'completed' });
    expect(accepted()).toBe(before + 1);
    const [take] = await rig.store.ledger.takes('refused-again', 'lost');
    expect(take?.sendings).toMatchObject([{ accepted: { taskId: first!.id } }, { refused: { again: false } }]);
  });

  it('skipped: the film closes the gap; an own clip: the chain continues from it', async () => {
    await start('given', [betaShot('source')]);
    const clip = (await ended('given')).shots[0]?.takes[0]?.asset;
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 2 });
    await start('mended', [betaShot('skipped'), betaShot('used'), linkedShot('after', 'used')]);
    await parked('mended', 'skipped');
    await parked('mended', 'used');
    await resolve('mended', 'skipped', { kind: 'skip' });
    await resolve('mended', 'used', { kind: 'use', asset: clip! });
    const status = await ended('mended');
    expect(status).toMatchObject({ state: 'completed', assembly: 'completed' });
    expect(status.shots.map(({ state }) => state)).toEqual(['skipped', 'completed', 'completed']);
    expect(status.shots[1]?.takes.at(-1)?.asset).toEqual(clip);
  });

  it('FAILED: gets the further takes that the file allows, then waits with the gateway’s reason', async () => {
    const before = accepted();
    rig.sandbox.faults.inject({ kind: 'task-fails', count: 2 });
    await start('unlucky', [betaShot('shaky')], { retryFailed: 1 });
    expect(await parked('unlucky', 'shaky')).toMatchObject({
      parked: { for: 'failed' },
      reason: expect.stringContaining('internal_error'),
    });
    expect(accepted()).toBe(before + 2);
    await resolve('unlucky', 'shaky', { kind: 'resubmit' });
    expect((await ended('unlucky')).shots[0]?.takes.map(({ take, state }) => [take, state])).toContainEqual([
      3,
      'completed',
    ]);
    expect(accepted()).toBe(before + 3);
  });

  it('FAILED for its content: gets no further take automatically', async () => {
    const before = accepted();
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    await start('forbidden', [betaShot('improper')], { retryFailed: 3 });
    expect(await parked('forbidden', 'improper')).toMatchObject({ reason: expect.stringContaining('content_policy') });
    expect(accepted()).toBe(before + 1);
    await rig.client.cancel('forbidden');
    expect(await ended('forbidden')).toMatchObject({ state: 'cancelled' });
  });

  it('key refused: everything waits, and continues when the key works', async () => {
    const before = accepted();
    rig.sandbox.faults.inject({ kind: 'refuse-401', share: 1 });
    await start('locked-out', [betaShot('one'), betaShot('two')]);
    // Reads are refused too, so only submits before the first answer are sent.
    await until(async () => {
      const takes = await Promise.all(['one', 'two'].map((shot) => rig.store.ledger.takes('locked-out', shot)));
      return takes.flat().some(({ sendings }) => sendings[0]?.refused);
    });
    expect((await liveStatusOf(rig, 'locked-out')).shots.map(({ state }) => state)).toEqual(['rendering', 'rendering']);
    rig.sandbox.faults.clear();
    expect(await ended('locked-out')).toMatchObject({ state: 'completed' });
    expect(accepted()).toBe(before + 2);
  });

  it('unclear: continues by itself when a late answer is in the ledger', async () => {
    expect(await ended('late')).toMatchObject({ state: 'completed', shots: [{ state: 'completed', parked: null }] });
    expect(await rig.store.ledger.takes('late', 'slow')).toMatchObject([{ decisions: [], sendings: [{ n: 1 }] }]);
  });
});
