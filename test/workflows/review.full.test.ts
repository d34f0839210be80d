import { waitsForPeople } from '../../client';
import { productionWorkflowId, shotWorkflowId } from '../../contracts/identifiers';
import { type ShotProgress } from '../../contracts/workflows';
import { liveStatusOf } from '../support/live-status';
import { betaShot, film, linkedShot, pictureShot, planOf, shotsBy } from '../support/rig';
import { until } from '../support/until';
import { approve, FOR_EVER, inState, rig, start } from './reviewed-shots';

describe('a shot that is reviewed', () => {
  /** The states that a shot has told its production, in order. */
  async function toldStates(id: string): Promise<readonly ShotProgress['state'][]> {
    const handle = rig.temporal.client.workflow.getHandle(productionWorkflowId(rig.store.id, id));
    const told = (await handle.fetchHistory()).events?.flatMap(
      ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.input?.payloads ?? [],
    );
    return (told ?? []).map(({ data }) => (JSON.parse(Buffer.from(data!).toString()) as ShotProgress).state);
  }

  it('makes room for others while it waits', async () => {
    const two = film('room', [pictureShot('a'), pictureShot('b')]);
    const shots = shotsBy({ review: FOR_EVER }, two);
    await rig.start(two, { shots, maxInFlight: 1 });
    await inState('room', 'a', 'review');
    await inState('room', 'b', 'review');
    await rig.client.cancel('room');
    const status = await rig.client.ended('room');
    expect(status).toMatchObject({ state: 'cancelled', shots: [{ state: 'cancelled', filmTake: null }, {}] });
  });

  it('can be approved with another take than the first as soon as that take has completed', async () => {
    rig.sandbox.faults.inject({ kind: 'file-slow', count: 1, seconds: 15 });
    const two = film('other', [betaShot('one'), linkedShot('two', 'one')]);
    const shots = planOf(two).shots.map((shot) => (shot.id === 'one' ? { ...shot, takes: 3, review: FOR_EVER } : shot));
    await rig.start(two, { shots });
    const seen = await until(async () => {
      const shot = (await rig.client.status('other'))?.shots[0];
      const completed = shot?.takes.filter(({ state }) => state === 'completed') ?? [];
      return shot?.state === 'review' && completed.length === 2 ? { shot, completed } : undefined;
    });
    expect(seen.shot.review).toMatchObject({ takesUnderWay: 1 });
    expect(waitsForPeople(await liveStatusOf(rig, 'other'))).toBe(false);
    const slow = seen.shot.takes.find(({ state }) => state === 'rendering')!.take;
    const other = seen.completed.find(({ take }) => take !== seen.shot.filmTake)!;
    await expect(approve('other', 'one', slow)).rejects.toThrow(`take ${slow} has not completed: it is rendering`);
    await expect(approve('other', 'one', 9)).rejects.toThrow('the shot has no take 9');
    expect(await approve('other', 'one', other.take)).toBe(other.take);
    await expect(approve('other', 'one', other.take)).rejects.toThrow(`take ${other.take} is approved already`);
    const status = await rig.client.ended('other');
    expect(status.shots[0]).toMatchObject({ state: 'completed', filmTake: other.take });
    expect(status.shots[0]!.takes).toHaveLength(3);
    const [start] = (await rig.store.ledger.takes('other', 'two')).map(({ intent }) => intent.parameters['startFrame']);
    expect(start).toBe(`sha256:${other.lastFrame!.asset.sha256}`);
  });

  it.each([
    { otherwise: 'approve', state: 'completed' },
    { otherwise: 'skip', state: 'skipped' },
  ] as const)('is answered by the file if nobody answers in time: $otherwise', async ({ otherwise, state }) => {
    const id = `in-time-${otherwise}`;
    await start(film(id, [pictureShot('a')]), { review: { withinSeconds: 2, otherwise } });
    const status = await rig.client.ended(id);
    expect(status).toMatchObject({
      state: 'completed',
      shots: [{ state, filmTake: state === 'completed' ? 1 : null }],
    });
    // The test may not see the status in time.
    expect(await toldStates(id)).toContain('review');
  });

  it('refuses an approval after the shot was skipped, while another of its takes is under way', async () => {
    rig.sandbox.faults.inject({ kind: 'file-slow', count: 1, seconds: 15 });
    await start(film('too-late', [betaShot('one')]), { takes: 2, review: { withinSeconds: 1, otherwise: 'skip' } });
    await inState('too-late', 'one', 'review');
    const shot = rig.temporal.client.workflow.getHandle(shotWorkflowId(rig.store.id, 'too-late', 'one'));
    await until(async () => (await shot.fetchHistory()).events?.some((event) => event.timerFiredEventAttributes));
    await expect(approve('too-late', 'one')).rejects.toThrow('the review is over');
    expect(await rig.client.ended('too-late')).toMatchObject({ shots: [{ state: 'skipped', filmTake: null }] });
  });

  it('stops asking about a parked take once another is chosen', async () => {
    rig.sandbox.faults.inject({ kind: 'task-fails', count: 1 });
    await start(film('one-left', [pictureShot('a')]), { takes: 2, review: FOR_EVER });
    const shot = await until(async () => {
      const one = (await rig.client.status('one-left'))?.shots[0];
      return one?.review?.takesUnderWay === 0 ? one : undefined;
    });
    expect(shot).toMatchObject({ state: 'review', parked: null });
    const decided = rig.client.resolve('one-left', 'a', { kind: 'resubmit' });
    await expect(decided).rejects.toThrow('the shot needs no more decisions');
    await approve('one-left', 'a');
    expect(await rig.client.ended('one-left')).toMatchObject({ state: 'completed' });
  });

  it('does not report a review that ends as it begins', async () => {
    await start(film('at-once', [pictureShot('a')]), { review: { withinSeconds: 0, otherwise: 'approve' } });
    expect(await rig.client.ended('at-once')).toMatchObject({ state: 'completed', shots: [{ filmTake: 1 }] });
    const states = await toldStates('at-once');
    expect(states).toContain('rendering');
    expect(states).not.toContain('review');
  });

  it('refuses an approval before there is a take, and of a shot without review', async () => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    await start(film('too-early', [pictureShot('a')]), { review: FOR_EVER });
    await inState('too-early', 'a', 'parked');
    await expect(approve('too-early', 'a')).rejects.toThrow('no take has completed yet');
    await rig.client.resolve('too-early', 'a', { kind: 'skip' });
    await rig.client.ended('too-early');

    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    await start(film('unreviewed', [pictureShot('a')]), {});
    await inState('unreviewed', 'a', 'parked');
    await expect(approve('unreviewed', 'a')).rejects.toThrow('the shot is not reviewed');
    await rig.client.resolve('unreviewed', 'a', { kind: 'skip' });
    await rig.client.ended('unreviewed');
  });
});
