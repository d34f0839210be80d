import { taskAnswer } from './answer-read';
import { submitAnswer } from './answers';
import type { AppOptions } from './app-options';
import type { WireContext } from './wire-context';
import { readJson } from './read-json';
import { readTaskRequest } from './read-task-request';
import { RequestRefused } from './request-refused';
import { parseRunAddress } from './workflow-address';
import type { SandboxTask } from '../tasks/task-journal';

/** Answers requests to submit or execute a task. */
export async function answerRun(context: WireContext, options: AppOptions): Promise<Response> {
  const address = parseRunAddress(context.req.path);
  if (!address) return await context.notFound();
  const { mode } = address;
  const { model, parameters } = readTaskRequest(address, await readJson(context));
  const { runner, faults, fileValues, honourIdempotencyKey } = options;
  const idempotencyKey = context.req.header('idempotency-key') ?? null;

  const storedParameters = await fileValues.storeDataUris(model, parameters);
  const earlierTask = (): SandboxTask | undefined => {
    const task = honourIdempotencyKey && idempotencyKey !== null ? runner.findByKey(idempotencyKey) : undefined;
    if (task && (task.model !== model.id || JSON.stringify(task.parameters) !== JSON.stringify(storedParameters))) {
      throw new RequestRefused(409, 'idempotency_conflict', 'This Idempotency-Key came with another request before.');
    }
    return task;
  };
  const fate = earlierTask() ? undefined : await faults.outcome('task', null);
  // Look again: a request with the same key may have been accepted meanwhile.
  let task = earlierTask();
  if (!task) {
    const target = { wire: context.var.wire, mode, earlier: runner.list().at(-1) };
    const [broken] = faults.strikes('acceptance', target);
    const answerFault = broken?.name ?? null;
    task = await runner.accept({
      model,
      parameters: storedParameters,
      mode,
      idempotencyKey,
      fate: fate ?? 'completes',
      answerFault,
    });
    const answer = await broken?.make();
    if (answer) return answer;
  }

  if (mode === 'submit') return context.json(submitAnswer(task));
  const ended = await runner.waitForEnd(task.id, options.executeLimitMs);
  if (ended) return context.json(taskAnswer(ended, context, options));
  // The task continues and is charged. The answer omits the task's id, as a proxy's timeout would.
  throw new RequestRefused(504, 'execute_timeout', 'The task takes longer than execute waits; use submit.');
}
