import { defaultPayloadConverter } from '@temporalio/common';
import { type SubmitOutcome } from '../../contracts/activities';
import { type RunHistory, taskIdsIn } from '../../drill/histories';

const TAKE_KEY = 'a'.repeat(64);

/** A history in which one activity has these outcomes. */
function historyWith(activityType: string, outcomes: readonly object[]): RunHistory {
  const events = outcomes.flatMap((outcome, index) => {
    const payloads = [defaultPayloadConverter.toPayload({ take: { takeKey: TAKE_KEY }, ...outcome })];
    return [
      { eventId: 2 * index + 1, activityTaskScheduledEventAttributes: { activityType: { name: activityType } } },
      {
        eventId: 2 * index + 2,
        activityTaskCompletedEventAttributes: { scheduledEventId: 2 * index + 1, result: { payloads } },
      },
    ];
  });
  return { workflowId: 'take', history: { events } } as unknown as RunHistory;
}

describe('the tasks in a history', () => {
  it('are those that a submit or an execute returned, whatever became of them', () => {
    const outcomes: readonly Partial<SubmitOutcome>[] = [
      { state: 'accepted', taskId: 'task-1' },
      { state: 'completed', taskId: 'task-2' },
      { state: 'failed', taskId: 'task-3' },
      { state: 'unclear' },
    ];
    expect(taskIdsIn(historyWith('executeTask', outcomes))).toEqual(['task-1', 'task-2', 'task-3']);
    expect(taskIdsIn(historyWith('chooseTake', outcomes))).toEqual([]);
  });

  it('are not those that the gateway does not know', () => {
    const outcomes = [
      { state: 'completed', taskId: null },
      { state: 'completed', taskId: `execute-${TAKE_KEY.slice(0, 16)}-1` },
    ];
    expect(taskIdsIn(historyWith('executeTask', outcomes))).toEqual([]);
  });
});
