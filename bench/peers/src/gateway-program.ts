import { subscribe } from 'node:diagnostics_channel';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Injection } from '../../../dist/sandbox/faults/injection';
import { type SandboxTask, startSandbox, type TaskReads } from '../../../dist/sandbox';
import { drawSeconds, type TaskSeconds } from './task-seconds';

/**
 * The sandbox gateway as a separate process, so that its CPU time is not counted for a contender. The parent process
 * asks questions by messages. The gateway ends with its parent.
 */

export interface GatewayStart {
  readonly folder: string;
  readonly apiKey: string;
  readonly taskSeconds: TaskSeconds;
  readonly faults: readonly Injection[];
}

/** Messages from the parent: `start` once, then the others any number of times. */
export type GatewayQuestion = { readonly start: GatewayStart } | 'tasks' | 'counts';
export type GatewayAnswer = { readonly url: string } | { readonly tasks: readonly GatewayTask[] } | GatewayCounts;

/** Counts since the start, except `onWire`, which is the current number. */
export interface GatewayCounts {
  readonly accepted: number;
  readonly ended: number;
  /**
   * Requests that arrived with the right key, whatever the answer. Downloads carry no key and are not counted.
   */
  readonly requests: number;
  /** Submits and executes whose answer is not sent yet and whose caller is still connected. */
  readonly onWire: number;
}

/** A task that was accepted, and so paid for. */
export interface GatewayTask
  extends Pick<SandboxTask, 'id' | 'model' | 'acceptedAt' | 'finishedAt' | 'parameters'>, TaskReads {}

process.once('disconnect', () => process.exit(0));
process.once('message', (question: GatewayQuestion) => {
  if (typeof question === 'object') void serve(question.start);
});

async function serve({ folder, apiKey, taskSeconds, faults }: GatewayStart): Promise<void> {
  const traffic = watchTraffic(apiKey);
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
      ...traffic(),
    };
  };
  const tasks = (): readonly GatewayTask[] =>
    sandbox.tasks().map(({ id, model, acceptedAt, finishedAt, parameters }) => ({
      ...{ id, model, acceptedAt, finishedAt, parameters },
      ...sandbox.readsOf(id),
    }));
  process.on('message', (question: GatewayQuestion) => {
    answer(question === 'counts' ? counts() : { tasks: tasks() });
  });
  answer({ url: sandbox.url });
}

/** Counts requests to the only server of this process, through Node's diagnostics channel. */
function watchTraffic(apiKey: string): () => Pick<GatewayCounts, 'requests' | 'onWire'> {
  let requests = 0;
  let onWire = 0;
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { readonly request: IncomingMessage; readonly response: ServerResponse };
    if (request.headers.authorization !== `Bearer ${apiKey}`) return;
    requests += 1;
    if (request.method !== 'POST') return;
    onWire += 1;
    // `close` comes after the answer is sent, or when the connection closes without an answer.
    response.once('close', () => (onWire -= 1));
  });
  return () => ({ requests, onWire });
}

function answer(words: GatewayAnswer): void {
  process.send?.(words);
}
