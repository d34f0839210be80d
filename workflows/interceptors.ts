import type { ActivateInput, WorkflowInterceptorsFactory, WorkflowInternalsInterceptor } from '@temporalio/workflow';

type Activation = ActivateInput['activation'];

/**
 * Replays a workflow whose events a query brought before their workflow task.
 *
 * A query that waits for a lost worker reaches the next worker with all events of the history by then. Temporal's core
 * hands the last of them to the workflow although their workflow task has not started, and every later replay hands
 * them over together with events that came after the query. The commands may then differ in their order, and the
 * workflow stands still for ever. So the task after such a query fails once: the worker forgets the workflow, and the
 * next attempt replays its history. The query is answered. See docs/decisions/0056-events-before-their-task.md.
 *
 * An activation belongs to a workflow task if its time is later than that of the one before: it is the time at which
 * the task started.
 */
export function replayAfterEarlyEvents(): Required<Pick<WorkflowInternalsInterceptor, 'activate'>> {
  let last: { readonly length: number; readonly time: string } | undefined;
  let cameEarly = false;
  return {
    activate(input, next) {
      const { activation } = input;
      if (!isQuery(activation)) {
        if (cameEarly) throw new EventsCameEarly();
        const now = { length: activation.historyLength ?? 0, time: timeOf(activation) };
        cameEarly = last !== undefined && now.time === last.time && now.length > last.length;
        last = now;
      }
      next(input);
    },
  };
}

/** For the option `workflowInterceptorModules` of Temporal's `bundleWorkflowCode`. */
export const interceptors: WorkflowInterceptorsFactory = () => ({ internals: [replayAfterEarlyEvents()] });

class EventsCameEarly extends Error {
  override readonly name = 'EventsCameEarly';
  constructor() {
    super(
      'A query brought events before their workflow task started. The history is replayed, so that commands keep ' +
        'their order. Nothing is lost, and there is nothing to do.',
    );
  }
}

function isQuery({ jobs }: Activation): boolean {
  return (jobs ?? []).every(({ queryWorkflow }) => queryWorkflow != null);
}

function timeOf({ timestamp }: Activation): string {
  return `${String(timestamp?.seconds)}.${String(timestamp?.nanos)}`;
}
