import { productionWorkflowId } from '../../contracts/identifiers';
import { filesWith } from '../support/files-with';
import { NOTIFY_SECRET, startReceiver } from '../support/hook-receiver';
import { film, pictureShot, planOf } from '../support/rig';
import { until } from '../support/until';
import { noticesOf, receiver, rig, target, toldOf } from './notified-productions';

const UNTIL_ANSWERED = { withinSeconds: null, otherwise: 'approve' } as const;

describe('notices of a production', () => {
  it('report a review, and a cancellation although the production is cancelled', async () => {
    const production = film('reviewed', [pictureShot('a')]);
    const shots = planOf(production).shots.map((shot) => ({ ...shot, review: UNTIL_ANSWERED }));
    await rig.start(production, { assemble: false, notify: await target(), shots });
    const [told] = await until(() => toldOf('reviewed').length > 0 && toldOf('reviewed'));
    expect(told).toMatchObject({ type: 'production.review', data: { shots: { review: 1 } } });
    expect(told?.data.waiting[0]?.command).toContain('dailies approve reviewed a --take 1');
    await rig.client.cancel('reviewed');
    await rig.client.ended('reviewed');
    await until(() => toldOf('reviewed').length > 1);
    expect(toldOf('reviewed')[1]?.type).toBe('production.cancelled');
  });

  it('report that a budget is used up', async () => {
    const budget = { credits: 0 };
    await rig.start(film('poor', [pictureShot('a')]), { assemble: false, budget, notify: await target() });
    const [told] = await until(() => toldOf('poor').length > 0 && toldOf('poor'));
    expect(told).toMatchObject({
      type: 'production.over-budget',
      data: { budget: { credits: 0, spent: 0 }, waiting: [{ shot: 'a', command: 'dailies budget poor --credits M' }] },
    });
    await rig.client.cancel('poor');
    await rig.client.ended('poor');
  });

  it('report only requested types, and no wait that ends at once', async () => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    const notify = await target(receiver.url, ['production.parked', 'production.incomplete']);
    await rig.start(film('picked', [pictureShot('a')]), { assemble: false, notify });
    // Resolved as soon as it is parked: some seconds later a notice would be sent.
    await until(() => rig.client.resolve('picked', 'a', { kind: 'resubmit' }).catch(ifNotParkedYet));
    expect((await rig.client.ended('picked')).state).toBe('completed');
    const { workflow } = rig.temporal.client;
    const { events } = await workflow.getHandle(productionWorkflowId(rig.store.id, 'picked')).fetchHistory();
    const notices = (events ?? []).filter(
      ({ startChildWorkflowExecutionInitiatedEventAttributes: started }) => started?.workflowType?.name === 'notice',
    );
    expect(notices).toEqual([]);
    expect(toldOf('picked')).toEqual([]);
  });

  function ifNotParkedYet(error: Error): false {
    if (!/not parked|not under way/.test(error.message)) throw error;
    return false;
  }

  it('add no event to a production without notify', async () => {
    await rig.render(film('silent', [pictureShot('a')]), { assemble: false });
    const { workflow } = rig.temporal.client;
    const { events } = await workflow.getHandle(productionWorkflowId(rig.store.id, 'silent')).fetchHistory();
    const timers = (events ?? []).filter(({ timerStartedEventAttributes: timer }) => timer != null);
    const children = (events ?? []).filter(
      ({ startChildWorkflowExecutionInitiatedEventAttributes: started }) => started != null,
    );
    expect([timers.length, children.length]).toEqual([0, 1]);
  });

  it('have the same id after a reset, and are not sent twice', async () => {
    await rig.render(film('reset', [pictureShot('a')]), { assemble: false, notify: await target() });
    await until(() => toldOf('reset').length > 0);
    const workflowId = productionWorkflowId(rig.store.id, 'reset');
    const handle = rig.temporal.client.workflow.getHandle(workflowId);
    const { runId } = await handle.describe();
    const { events } = await handle.fetchHistory();
    const first = (events ?? []).find(({ workflowTaskCompletedEventAttributes: task }) => task != null);
    await rig.temporal.connection.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId, runId },
      workflowTaskFinishEventId: first?.eventId ?? null,
      requestId: 'reset-once',
      reason: 'a test',
    });
    const again = await until(async () => {
      const described = await handle.describe();
      return described.runId !== runId && described.status.name === 'COMPLETED' && described;
    });
    expect(again.runId).not.toBe(runId);
    const replayed = await rig.temporal.client.workflow.getHandle(workflowId, again.runId).fetchHistory();
    const refused = (replayed.events ?? []).filter(
      ({ startChildWorkflowExecutionFailedEventAttributes: failed }) => failed?.workflowType?.name === 'notice',
    );
    expect(refused).toHaveLength(1);
    expect(toldOf('reset')).toHaveLength(1);
  });

  it('block no production if the receiver hangs, and are shown as not delivered', async () => {
    // Workers may post to the first receiver only: this one is a host in a private network.
    const other = await startReceiver();
    await rig.render(film('refused', [pictureShot('a')]), { assemble: false, notify: await target(other.url) });
    await until(async () => (await noticesOf('refused'))[0]?.state === 'undelivered');
    const [notice] = await noticesOf('refused');
    expect(notice?.reason).toContain(`POST to ${new URL(other.url).host} is refused`);
    expect(notice?.reason).toContain('DAILIES_NOTIFY_HOSTS');
    expect(other.told()).toEqual([]);
    await other.close();

    receiver.server.answer = () => undefined;
    expect(
      (await rig.render(film('hung', [pictureShot('a')]), { assemble: false, notify: await target() })).state,
    ).toBe('completed');
    await until(async () => (await noticesOf('hung'))[0]?.state === 'trying');
    receiver.server.answer = (_request, response) => void response.writeHead(204).end();
    await until(async () => (await noticesOf('hung'))[0]?.state === 'delivered');
    const ids = toldOf('hung').map(({ webhookId }) => webhookId);
    expect(ids.length).toBeGreaterThan(1);
    expect(new Set(ids).size).toBe(1);
  });

  it('leave address and secret out of histories and files', async () => {
    const histories: string[] = [];
    const { workflow } = rig.temporal.client;
    for await (const { workflowId, runId } of workflow.list()) {
      histories.push(JSON.stringify(await workflow.getHandle(workflowId, runId).fetchHistory()));
    }
    const bytes = (text: string): readonly string[] => [text, Buffer.from(text).toString('base64').slice(4, -4)];
    for (const hidden of [...bytes(NOTIFY_SECRET), ...bytes(NOTIFY_SECRET.slice(6)), ...bytes('token-in-the-path')]) {
      expect(histories.filter((history) => history.includes(hidden))).toEqual([]);
    }
    expect(await filesWith(NOTIFY_SECRET.slice(6), rig.store.folder)).toEqual([]);
    const holding = await filesWith('token-in-the-path', rig.store.folder);
    expect(holding.every((path) => path.includes('notify-targets'))).toBe(true);
  });

  it('report all waiting shots with what to type in one notice, and then the end', async () => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 2 });
    const production = film('parked', [pictureShot('a'), pictureShot('b')]);
    await rig.start(production, { assemble: false, notify: await target() });
    const [told] = await until(() => toldOf('parked').length > 0 && toldOf('parked'));
    expect(told).toMatchObject({
      type: 'production.parked',
      data: { state: 'running', shots: { parked: 2 }, waitingCount: 2 },
    });
    expect(told?.data.waiting).toEqual([
      {
        shot: 'a',
        for: 'failed',
        since: expect.any(String),
        command: expect.stringContaining('dailies resolve parked a'),
      },
      {
        shot: 'b',
        for: 'failed',
        since: expect.any(String),
        command: expect.stringContaining('dailies resolve parked b'),
      },
    ]);
    await rig.client.resolve('parked', 'a', { kind: 'resubmit' });
    await rig.client.resolve('parked', 'b', { kind: 'skip' });
    expect((await rig.client.ended('parked')).state).toBe('completed');
    await until(() => toldOf('parked').length > 1);
    expect(toldOf('parked').map(({ type }) => type)).toEqual(['production.parked', 'production.completed']);
  });
});
