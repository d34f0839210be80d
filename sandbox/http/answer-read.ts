import type { TaskResponse } from '../../contracts/gateway/wire';
import { resultAnswer } from './answers';
import type { AppOptions } from './app-options';
import type { WireContext } from './wire-context';
import { requireWorkflow } from './read-task-request';
import { RequestRefused } from './request-refused';
import type { SandboxTask } from '../tasks/task-journal';
import { parseResultAddress } from './workflow-address';

export async function answerRead(context: WireContext, options: AppOptions): Promise<Response> {
  const address = parseResultAddress(context.req.path);
  if (!address) return await context.notFound();
  if (address.workflow !== null) requireWorkflow(address.workflow);
  const { runner, faults, readLog } = options;
  const task = runner.find(address.taskId);
  if (!task || (address.workflow !== null && task.workflow !== address.workflow)) {
    const where = address.workflow === null ? '' : ` of workflow ${address.workflow}`;
    throw new RequestRefused(404, 'unknown_task', `There is no task ${address.taskId}${where}.`);
  }

  let validForSeconds = Number.POSITIVE_INFINITY;
  const answerOf = (shown: SandboxTask) => taskAnswer(shown, context, options);
  const broken = await faults.outcome('read', {
    task,
    lastState: readLog.stateOf(task.id),
    other: runner.list().findLast(({ id }) => id !== task.id),
    answerOf,
    expireAfter(seconds) {
      validForSeconds = seconds;
    },
  });
  const answer = broken ?? answerOf(task);
  if (answer.response.id === task.id) readLog.record(task.id, answer.response.status, validForSeconds);
  return context.json(answer);
}

/** The answer to a read or execute. File addresses have the origin of the request, so the caller can reach them. */
export function taskAnswer(task: SandboxTask, context: WireContext, { lastFramePlace }: AppOptions): TaskResponse {
  const { origin } = new URL(context.req.url);
  return resultAnswer(task, `${origin}/files/${task.id}`, lastFramePlace);
}
