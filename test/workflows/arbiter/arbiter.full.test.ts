import { arbiterWorkflowId, productionWorkflowId, shotWorkflowId } from '../../../contracts/identifiers';
import { workflowQueue } from '../../../contracts/task-queues';
import { WORKFLOWS } from '../../../contracts/workflow-signatures';
import { accountHash } from '../../../store';
import { reviseProductionUpdate } from '../../../workflows/messages';
import { basisOf, film, planOf } from '../../support/rig';
import { until } from '../../support/until';
import {
  begin,
  completed,
  limit,
  mostUnfinished,
  names,
  picture,
  PICTURE,
  prompts,
  rig,
  settle,
  settleEndless,
  someWait,
  view,
} from '../limited-account';

describe('the arbiter of an account', () => {
  /** When the arbiter was first asked for a production. */
  async function firstAsked(id: string): Promise<number> {
    const { events } = await rig.temporal.client.workflow.getHandle(arbiterId()).fetchHistory();
    const ask = events?.find(({ workflowExecutionSignaledEventAttributes: signal }) =>
      signal?.input?.payloads?.some(({ data }) => Buffer.from(data!).toString().includes(`"productionId":"${id}"`)),
    );
    return Number(ask?.eventTime?.seconds) * 1_000 + Number(ask?.eventTime?.nanos) / 1e6;
  }
  const arbiterId = (): string =>
    arbiterWorkflowId(workflowQueue({ account: accountHash('sandbox'), storeId: rig.store.id }));

  it('serves an urgent production first, and the others in turn', async () => {
    await limit({ inFlight: 2 });
    // No lease is returned before all have asked: no task reports its end.
    rig.sandbox.faults.inject({ kind: 'refuse-503', on: 'read', share: 1 });
    await begin('large', 14, { priority: 'batch' });
    await someWait(12);
    await begin('small', 3, { priority: 'batch' });
    await someWait(15);
    await begin('hurry', 3, { priority: 'urgent' });
    await someWait(18);
    rig.sandbox.faults.clear();
    await completed('large', 'small', 'hurry');
    const arrivedAtMs = await firstAsked('hurry');
    const since = rig.sandbox.tasks().filter(({ acceptedAt }) => Date.parse(acceptedAt) > arrivedAtMs);
    const order = since.map(({ parameters }) => (parameters as { prompt: string }).prompt);
    expect(order.slice(0, 3).some((prompt) => prompt.startsWith('hurry: '))).toBe(true);
    // The small production ends long before the last tasks of the large one, which asked first, are sent.
    expect(order.slice(-3).every((prompt) => prompt.startsWith('large: '))).toBe(true);
  });

  it('follows limits that are raised and removed while tasks wait', async () => {
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 2 });
    await limit({ inFlight: 1 });
    await begin('raised', 6, {}, { onFailure: 'fail' });
    await someWait(5);
    await until(() => prompts('raised').length === 1);
    await limit({ inFlight: 2 });
    await until(() => prompts('raised').length === 2);
    // Both places stay taken: the others are sent because the limit was removed.
    await limit({});
    await until(() => prompts('raised').length === 6);
    expect((await view()).waiting).toEqual([]);
    await settleEndless();
    await rig.client.ended('raised');
  });

  it('counts what was sent before there was a limit', async () => {
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 2 });
    await begin('before', 2, {}, { onFailure: 'fail' });
    await until(() => prompts('before').length === 2);
    await limit({ inFlight: 2 });
    await begin('after', 1);
    expect((await someWait()).inFlight).toBe(2);
    await limit({ inFlight: 3 });
    await completed('after');
    await settleEndless();
    await rig.client.ended('before');
  });

  it('restarts after it was lost, knows the tasks under way, and answers all waiting shots', async () => {
    await limit({ inFlight: 3 });
    await begin('lost', 12);
    await until(() => prompts('lost').length > 2);
    await rig.temporal.client.workflow.getHandle(arbiterId()).terminate('a test');
    await completed('lost');
    expect(prompts('lost')).toHaveLength(12);
    expect(mostUnfinished('lost')).toBe(3);
  });

  it('begins another epoch after a reset, since its earlier grants no longer count', async () => {
    await limit({ inFlight: 2 });
    await begin('reset', 10);
    await until(() => prompts('reset').length > 3);
    const { events } = await rig.temporal.client.workflow.getHandle(arbiterId()).fetchHistory();
    const first = events?.find(({ activityTaskCompletedEventAttributes: done }) => done != null);
    const next = events?.find(
      ({ eventId, workflowTaskCompletedEventAttributes: done }) =>
        done != null && Number(eventId) > Number(first?.eventId),
    );
    await rig.temporal.client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: arbiterId() },
      reason: 'a test',
      requestId: 'reset the arbiter',
      workflowTaskFinishEventId: next?.eventId ?? null,
    });
    await completed('reset');
    expect(prompts('reset')).toHaveLength(10);
    expect(mostUnfinished('reset')).toBe(2);
  });

  it('sends nothing for a production that is cancelled while it waits, and gives its place to others', async () => {
    await limit({ inFlight: 1 });
    await begin('gone', 9);
    await someWait();
    await rig.client.cancel('gone');
    expect((await rig.client.ended('gone')).state).toBe('cancelled');
    await until(async () => (await view()).waiting.length === 0);
    expect(prompts('gone').length).toBeLessThan(9);
    await begin('next', 2);
    await completed('next');
  });

  it('sends nothing for a production that is paused while it waits, and keeps no place for it', async () => {
    await limit({ inFlight: 1 });
    await begin('paused', 9);
    await someWait();
    await rig.store.holds.pause('paused', 'a test');
    await begin('onward', 3);
    await completed('onward');
    const sent = prompts('paused').length;
    expect(sent).toBeLessThan(9);
    await rig.store.holds.resume('paused');
    await completed('paused');
    expect(prompts('paused')).toHaveLength(9);
  });

  it('keeps no place for a task that has a lease and cannot be sent', async () => {
    await limit({ inFlight: 1 });
    const bytes = { sizeBytes: 1, mediaType: 'image/png', durationSeconds: null, width: 1, height: 1 };
    const lost = { kind: 'asset' as const, asset: { sha256: 'f'.repeat(64), ...bytes }, name: 'lost.png' };
    const shots = names(3).map((name) => ({ ...picture('lost', name), files: { image: lost } }));
    await rig.start(film('lost', [...shots, picture('lost', 'last')]), { assemble: false, maxInFlight: 4 });
    const { state, shots: ended } = await rig.client.ended('lost');
    expect(state).toBe('incomplete');
    expect(ended.map((shot) => shot.state)).toEqual(['failed', 'failed', 'failed', 'completed']);
    // Not after the minutes in which a lease may be used.
    await until(async () => (await view()).inFlight === 0);
  }, 90_000);

  it('follows a revision of a waiting production', async () => {
    await limit({ inFlight: 1 });
    await begin('edited', 10);
    await someWait();
    const revised = film('edited', [picture('edited', 's0'), picture('edited anew', 's1')]);
    const [production, plan] = [await rig.store.putJson(revised), planOf(revised, { assemble: false })];
    await rig.temporal.client.workflow
      .getHandle(productionWorkflowId(rig.store.id, 'edited'))
      .executeUpdate(reviseProductionUpdate, {
        args: [
          { productionId: 'edited', production, plan, basis: await basisOf(rig.store, production, plan), again: [] },
        ],
      });
    await completed('edited');
    expect(prompts('edited anew')).toEqual(['edited anew: s1']);
    // Some tasks may have been sent or granted before the revision.
    expect(prompts('edited').filter((prompt) => prompt !== 'edited: s0').length).toBeLessThan(9);
  });

  it('holds a production to its budget and the account to its limit', async () => {
    await limit({ inFlight: 1 });
    await begin('poor', 3, { budget: { credits: 2 * PICTURE } });
    const status = await until(async () => {
      const now = await rig.client.status('poor');
      return now?.shots.some(({ parked }) => parked?.for === 'budget') && now.budget?.spent === 2 * PICTURE && now;
    });
    expect(prompts('poor')).toHaveLength(2);
    expect(status.budget).toMatchObject({ reserved: 0 });
    await rig.client.setBudget('poor', 3 * PICTURE);
    await completed('poor');
    expect(mostUnfinished('poor')).toBe(1);
  });

  it("keeps the charges of a day within the account's limit", async () => {
    const { spentToday } = await view();
    await limit({ creditsPerDay: spentToday + 2 * PICTURE });
    await begin('dear', 3);
    const {
      waiting: [last],
    } = await until(async () => {
      const now = await view();
      return now.waiting.length === 1 && now.inFlight === 0 && now;
    });
    expect(last?.waitsFor).toContain(
      `it needs ${PICTURE} credits, and 0 of ${spentToday + 2 * PICTURE} are left today`,
    );
    expect(prompts('dear')).toHaveLength(2);
    await limit({ creditsPerDay: spentToday + 3 * PICTURE });
    await completed('dear');
  });

  it('frees the place of a task whose end was never reported', async () => {
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 1 });
    await limit({ inFlight: 1 });
    await begin('silent', 1);
    await until(() => prompts('silent').length === 1);
    await begin('patient', 1);
    await someWait();
    // The task has ended at the gateway, and no process reports it.
    await rig.temporal.client.workflow.getHandle(shotWorkflowId(rig.store.id, 'silent', 's0')).terminate('a test');
    await settle('silent', 's0');
    await completed('patient');
  });

  it('continues as new again and again, without losing a waiting shot or a task in flight', async () => {
    await limit({ inFlight: 3 });
    const { workflow } = rig.temporal.client;
    await workflow
      .getHandle(arbiterId())
      .terminate('a test')
      .catch(() => undefined);
    const first = await workflow.start(WORKFLOWS.arbiter, {
      workflowId: arbiterId(),
      taskQueue: workflowQueue({ account: accountHash('sandbox'), storeId: rig.store.id }),
      args: [null, { longestHistory: 60 }],
    });
    const { epochs } = rig.store.account('sandbox');
    const before = await epochs.newest();
    await begin('handed', 16);
    await completed('handed');
    expect(prompts('handed')).toHaveLength(16);
    expect(mostUnfinished('handed')).toBe(3);
    const { status } = await workflow.getHandle(arbiterId(), first.firstExecutionRunId).describe();
    expect(status.name).toBe('CONTINUED_AS_NEW');
    expect(await epochs.newest()).toBeGreaterThan(before + 1);
    await until(async () => (await view()).inFlight === 0);
  });

  it('says what waits, why and since when', async () => {
    await limit({ inFlight: 1 }, { 'pixel-image-1': { inFlight: 7 } });
    const begun = new Date().toISOString();
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 1 });
    await begin('told', 2, { priority: 'urgent' }, { onFailure: 'fail' });
    const {
      waiting: [first],
      limits,
    } = await someWait();
    expect(limits).toEqual({ account: { inFlight: 1 }, models: { 'pixel-image-1': { inFlight: 7 } } });
    expect(first).toMatchObject({
      production: 'told',
      take: 1,
      model: 'pixel-image-1',
      priority: 'urgent',
      waitsFor: '1 task is in flight, of at most 1',
    });
    expect(first!.since > begun).toBe(true);
    await limit({ inFlight: 2 });
    await until(() => prompts('told').length === 2);
    await settleEndless();
    await rig.client.ended('told');
  });
});
