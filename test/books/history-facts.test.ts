import { taskFacts } from '../../client/books/history-facts';

/** As Temporal's JSON has it: one event that schedules an activity, and one that completes it. */
function activity(name: string, input: unknown, result: unknown): { readonly events: readonly unknown[] } {
  const payloads = (value: unknown) => ({
    payloads: [{ data: Buffer.from(JSON.stringify(value)).toString('base64') }],
  });
  return {
    events: [
      { eventId: '5', activityTaskScheduledEventAttributes: { activityType: { name }, input: payloads(input) } },
      { eventId: '7', activityTaskCompletedEventAttributes: { scheduledEventId: '5', result: payloads(result) } },
    ],
  };
}

describe('the facts of a history', () => {
  it.each(['submitTask', 'executeTask'])('have a task that was accepted by %s and has not ended', (name) => {
    const model = { id: 'beta-2.5' };
    const take = { productionId: 'film', shotId: 'dawn', take: 1, takeKey: 'a'.repeat(64), model };
    const accepted = {
      state: 'accepted',
      take,
      taskId: 'task-1',
      acceptedAt: '2026-11-25T14:54:45.671Z',
      decisions: 0,
    };
    expect(taskFacts(activity(name, {}, accepted))).toMatchObject([
      { production: 'film', shot: 'dawn', take: 1, taskId: 'task-1', end: undefined, paid: { taskId: 'task-1' } },
    ]);
  });
});
