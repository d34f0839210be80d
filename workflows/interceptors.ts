import type { ActivateInput, WorkflowInterceptorsFactory, WorkflowInternalsInterceptor } from '@temporalio/workflow';

type Activation = ActivateInput['activation'];

/**
 * Makes the worker replay a workflow from its history if events came together with a query, before their workflow task
 * had started.
 *
 * A query that was sent to a lost worker reaches the next worker together with all events that the history has by then.
 * Temporal's core passes the last of these events to the workflow although their workflow task has not started. Every
 * later replay passes the same events together with the events that came after the query. The order of commands may
 * then differ, and the workflow is stuck forever. So the workflow task after such a query fails once: the worker
 * forgets the workflow, and the next attempt replays its history. The query is answered. See
 * docs/decisions/0056-events-before-their-task.md.
 *
 * The time of an activation is the time at which its workflow task started. So events came early if the history has
 * grown since the last activation and the time is the same.
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
