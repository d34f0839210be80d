import type { TaskResponse } from '../../contracts/gateway/wire';
import { STATUSES } from '../../gateway/statuses';
import type { Fate } from '../tasks/task-journal';
import * as answer from './break-answer';
import * as file from './break-file';
import * as reading from './break-reading';

/**
 * The places at which faults strike, each with the target that a fault inspects and the outcome that the fault returns.
 * An undefined outcome leaves the answer unchanged. A fault may throw RequestRefused instead.
 */
export interface Places {
  /** A request to `/workflows/` with a valid key. A fault that answers here prevents acceptance. */
  request: { target: answer.RequestTarget; outcome: Response | undefined };
  /** The answer to a submit or execute that is accepted and charged. */
  acceptance: { target: answer.AcceptanceTarget; outcome: Response | undefined };
  /** The fate of a task, such as failing. It is decided when the task is accepted. */
  task: { target: null; outcome: Fate };
  /** The answer to a read of an existing task. */
  read: { target: reading.ReadTarget; outcome: TaskResponse | undefined };
  /** A request for an existing file of a task. */
  file: { target: file.FileTarget; outcome: Response };
}
export type Place = keyof Places;

export interface Fault<At extends Place> {
  readonly at: At;
  /** The effect on the caller, shown in the OpenAPI document. */
  readonly description: string;
  /** Default duration, or offset of the clock. Absent if the fault has neither. */
  readonly seconds?: number;
  /** Whether the fault can strike the target. Absent if the fault can strike every target. */
  readonly when?: (target: Places[At]['target']) => boolean;
  readonly strike: (
    target: Places[At]['target'],
    seconds: number,
  ) => Places[At]['outcome'] | Promise<Places[At]['outcome']>;
}
export type AnyFault = { [At in Place]: Fault<At> }[Place];

/** Short, so that experiments are quick. */
const RETRY_AFTER_SECONDS = 1;

/** Longer than many clients wait for a submit. Dailies waits 120 s (gateway/timeouts.ts), so it records the answer. */
const LATE_SECONDS = 90;

const CLOCK_OFF_SECONDS = 600;

const REFUSED = 'Refused with this status; nothing is accepted.';
const { refuse } = answer;

/**
 * Every fault of the sandbox.
 *
 * At each place, the first fault in this order that returns an outcome or throws determines the result. Faults that
 * only delay, or change the clock, the listener or the lifetime of an address, do neither, so later faults can still
 * strike. At `acceptance`, at most one fault strikes.
 */
export const FAULTS = {
  slow: { at: 'request', description: 'The answer comes late.', seconds: 1, strike: answer.delay },
  'clock-off': {
    at: 'request',
    description: 'The Date header, and a date in Retry-After, come from a clock that is ahead.',
    seconds: CLOCK_OFF_SECONDS,
    strike: answer.skewClock,
  },
  closed: {
    at: 'request',
    description: 'New connections are refused for a while; this request is still answered.',
    seconds: 2,
    strike: answer.closeListener,
  },
  drop: { at: 'request', description: 'The connection closes unanswered; nothing is accepted.', strike: answer.drop },
  garbage: {
    at: 'request',
    description: 'A page of HTML with status 200; nothing is accepted.',
    strike: answer.htmlPage,
  },
  ...plainRefusals(),
  'refuse-429': {
    at: 'request',
    description: 'Throttled, with Retry-After in seconds; nothing is accepted.',
    seconds: RETRY_AFTER_SECONDS,
    strike: refuse(429, 'throttled', 'seconds'),
  },
  'refuse-429-date': {
    at: 'request',
    description: 'Throttled, with Retry-After as a date; nothing is accepted.',
    seconds: RETRY_AFTER_SECONDS,
    strike: refuse(429, 'throttled', 'date'),
  },
  'refuse-500': {
    at: 'request',
    description: 'Status 500; nothing is accepted, but the caller cannot know that.',
    strike: refuse(500, 'internal_error'),
  },
  'refuse-503': {
    at: 'request',
    description: 'Status 503; nothing is accepted, but the caller cannot know that.',
    strike: refuse(503, 'unavailable'),
  },
  'refuse-503-retry-after': {
    at: 'request',
    description: 'Down for a while, with Retry-After in seconds; nothing is accepted.',
    seconds: RETRY_AFTER_SECONDS,
    strike: refuse(503, 'unavailable', 'seconds'),
  },

  'accept-500': { at: 'acceptance', description: 'Accepted, and answered 500.', strike: refuse(500, 'internal_error') },
  'accept-504': {
    at: 'acceptance',
    description: 'Accepted, and answered 504.',
    strike: refuse(504, 'gateway_timeout'),
  },
  'accept-drop': {
    at: 'acceptance',
    description: 'Accepted, and the connection closes unanswered.',
    strike: answer.drop,
  },
  'accept-garbage': {
    at: 'acceptance',
    description: 'Accepted, and answered with a page of HTML.',
    strike: answer.htmlPage,
  },
  'accept-late': {
    at: 'acceptance',
    description: 'Accepted, and answered when many callers have given up.',
    seconds: LATE_SECONDS,
    strike: answer.delay,
  },
  'accept-same-id': {
    at: 'acceptance',
    description: "Accepted as a new task, and answered with the previous task's id.",
    when: answer.isLaterSubmit,
    strike: answer.answerWithEarlierId,
  },

  'task-fails': { at: 'task', description: 'The task ends FAILED with code internal_error.', strike: () => 'fails' },
  'task-content-policy': {
    at: 'task',
    description: 'The task ends FAILED with code content_policy.',
    strike: () => 'content-policy',
  },
  'task-never-ends': { at: 'task', description: 'The task stays IN_PROGRESS.', strike: () => 'never-ends' },

  'read-expiring': {
    at: 'read',
    description: "The file addresses in this answer return 403 after a while, until the task's result is read again.",
    seconds: 1,
    when: reading.hasFile,
    strike: reading.expireAddresses,
  },
  'read-backwards': {
    at: 'read',
    description: 'The state before the one in the last answer.',
    when: reading.canGoBack,
    strike: reading.goBack,
  },
  'read-404': {
    at: 'read',
    description: '404 for a task whose last answer was COMPLETED.',
    when: reading.wasReportedCompleted,
    strike: reading.answerUnknownTask,
  },
  'read-other-task': {
    at: 'read',
    description: 'The result of another task, with the id of that task.',
    strike: reading.answerWithOtherTask,
  },
  'read-no-address': {
    at: 'read',
    description: 'COMPLETED without a file address.',
    when: reading.hasFile,
    strike: reading.omitAddress,
  },

  'file-redirects': { at: 'file', description: 'Redirects that never end.', strike: file.redirectForEver },
  'file-html': { at: 'file', description: 'A page of HTML with status 200.', strike: answer.htmlPage },
  'file-empty': { at: 'file', description: 'Status 200 and no bytes.', strike: file.empty },
  'file-truncated': { at: 'file', description: 'Half of the announced bytes are sent.', strike: file.truncate },
  'file-short': {
    at: 'file',
    description: 'The announced length is greater than the file.',
    strike: file.announceTooMuch,
  },
  'file-long': {
    at: 'file',
    description: 'The announced length is half of the file; the whole file is sent.',
    strike: file.announceTooLittle,
  },
  'file-reset': { at: 'file', description: 'The connection is reset in the middle of the file.', strike: file.reset },
  'file-stalls': {
    at: 'file',
    description: 'No bytes come after the middle of the file; the connection stays open.',
    strike: file.stall,
  },
  'file-slow': { at: 'file', description: 'The whole file, sent slowly.', seconds: 10, strike: file.trickle },
} as const satisfies Record<string, AnyFault>;
export type FaultName = keyof typeof FAULTS;

type RefusedStatus = {
  [Status in keyof typeof STATUSES]: (typeof STATUSES)[Status] extends { readonly fault: string } ? Status : never;
}[keyof typeof STATUSES];

/** A plain refusal for each status in `STATUSES` that has a `fault`. */
function plainRefusals(): Readonly<Record<`refuse-${RefusedStatus}`, Fault<'request'>>> {
  const faults = Object.entries(STATUSES).flatMap(([status, meaning]): [string, Fault<'request'>][] => {
    if (!('fault' in meaning)) return [];
    const strike = refuse(Number(status) as RefusedStatus, meaning.fault);
    return [[`refuse-${status}`, { at: 'request', description: REFUSED, strike }]];
  });
  return Object.fromEntries(faults) as ReturnType<typeof plainRefusals>;
}
