import type { TaskResponse } from '../../contracts/gateway/wire';
import type { RequestRefused } from './request-refused';
import type { SandboxTask, TaskOutput } from '../tasks/task-journal';

/**
 * Possible places of the last frame's address in a result. The specification does not define the place, so gateways may
 * differ.
 */
export const LAST_FRAME_PLACES = [
  'lastFrame',
  'lastFrame.url',
  'lastFrameUrl',
  'last_frame',
  'last_frame.url',
  'last_frame_url',
  'items',
  'none',
] as const;
export type LastFramePlace = (typeof LAST_FRAME_PLACES)[number];

export function submitAnswer(task: SandboxTask): { status: 'success'; response: { id: string } } {
  return { status: 'success', response: { id: task.id } };
}

/**
 * The body that answers a read of the result, or an execute.
 *
 * @param filesUrl base address of the task's files, with the origin that the caller uses.
 */
export function resultAnswer(task: SandboxTask, filesUrl: string, place: LastFramePlace): TaskResponse {
  const { id, state, model, credits, output, error } = task;
  return {
    status: 'success',
    response: {
      id,
      status: state,
      ...(output && { result: { ...resultOf(output, filesUrl, place), model } }),
      ...(error && { error }),
      ...(task.finishedAt !== null && { usage: { credits } }),
    },
  };
}

export function errorAnswer({ code, message, details }: RequestRefused) {
  const { problems } = details;
  return { status: 'error', error: { code, message, ...(problems && { problems }) } };
}

function resultOf(output: TaskOutput, filesUrl: string, place: LastFramePlace): Record<string, unknown> {
  if (output.file === undefined) return { text: output.text };
  const url = `${filesUrl}/${output.file}`;
  const items = [{ url }];
  if (output.lastFrame === undefined) return { url, items };

  const frameUrl = `${filesUrl}/${output.lastFrame}`;
  switch (place) {
    case 'none':
      return { url, items };
    case 'items':
      return { url, items: [...items, { url: frameUrl, type: 'image' }] };
    case 'lastFrame.url':
      return { url, items, lastFrame: { url: frameUrl } };
    case 'last_frame.url':
      return { url, items, last_frame: { url: frameUrl } };
    default:
      return { url, items, [place]: frameUrl };
  }
}
