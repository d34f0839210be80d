import { type Injection } from '../../../dist/sandbox/faults/injection';
import { type SandboxTask, startSandbox, type TaskReads } from '../../../dist/sandbox';
import { drawSeconds, type TaskSeconds } from './task-seconds';

/** The sandbox gateway in a process of its own, so that its time is nobody else's. Its parent talks to it. */

export interface GatewayStart {
  readonly folder: string;
  readonly apiKey: string;
  readonly taskSeconds: TaskSeconds;
  readonly faults: readonly Injection[];
}

/** What the parent asks: once to start, then the others as often as it likes. */
export type GatewayQuestion = { readonly start: GatewayStart } | 'tasks' | 'counts';
export type GatewayAnswer = { readonly url: string } | { readonly tasks: readonly GatewayTask[] } | GatewayCounts;

/** Since it was started. */
export interface GatewayCounts {
  readonly accepted: number;
  readonly ended: number;
  readonly reads: number;
}

/** A task that was accepted, and so paid for. */
export interface GatewayTask
  extends Pick<SandboxTask, 'id' | 'model' | 'acceptedAt' | 'finishedAt' | 'state' | 'parameters'>, TaskReads {}

process.once('message', (question: GatewayQuestion) => {
  if (typeof question === 'object') void serve(question.start);
});

async function serve({ folder, apiKey, taskSeconds, faults }: GatewayStart): Promise<void> {
  const sandbox = await startSandbox({
    folder,
    apiKey,
    renderSeconds: taskSeconds === 'fast' ? 'fast' : (task) => drawSeconds(taskSeconds, task),
  });
  for (const fault of faults) sandbox.faults.inject(fault);
  const counts = (): GatewayCounts => {
    const all = sandbox.tasks();
    return {
      accepted: all.length,
      ended: all.filter(({ finishedAt }) => finishedAt !== null).length,
      reads: all.reduce((sum, { id }) => sum + sandbox.readsOf(id).reads, 0),
    };
  };
  const tasks = (): readonly GatewayTask[] =>
    sandbox.tasks().map(({ id, model, acceptedAt, finishedAt, state, parameters }) => ({
      ...{ id, model, acceptedAt, finishedAt, state, parameters },
      ...sandbox.readsOf(id),
    }));
  process.on('message', (question: GatewayQuestion) => {
    answer(question === 'counts' ? counts() : { tasks: tasks() });
  });
  answer({ url: sandbox.url });
}

function answer(words: GatewayAnswer): void {
  process.send?.(words);
}
