import type { TaskResponse } from '../../contracts/wire';
import { STATUSES } from '../../gateway/statuses';
import type { Fate } from '../task-journal';
import * as answer from './break-answer';
import * as file from './break-file';
import * as reading from './break-reading';

/** For each place, what its faults look at and what they return; undefined leaves the answer unchanged. */
export interface Places {
  /** A request with a valid key, before the gateway looks at it. A fault that answers here prevents acceptance. */
  request: { scene: answer.RequestScene; outcome: Response | undefined };
  /** The answer to a submit or execute that is accepted and charged. */
  acceptance: { scene: answer.AcceptanceScene; outcome: Response | undefined };
  /** What becomes of a task; decided when it is accepted. */
  task: { scene: null; outcome: Fate };
  /** The answer to a read of an existing task. */
  read: { scene: reading.ReadScene; outcome: TaskResponse | undefined };
  /** A request for an existing file of a task. */
  file: { scene: file.FileScene; outcome: Response };
}
export type Place = keyof Places;

export interface Fault<At extends Place> {
  readonly at: At;
  /** What a caller meets. */
  readonly says: string;
  /** For faults that last a time: the default duration. */
  readonly seconds?: number;
  /** The fault strikes only in scenes for which this is true. */
  readonly when?: (scene: Places[At]['scene']) => boolean;
  readonly strike: (
    scene: Places[At]['scene'],
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
 * The first fault in this order that returns an outcome decides the answer. Faults that only delay, or change the
 * clock, the listener or the life of an address, return none, so later faults can still strike.
 */
export const FAULTS = {
  slow: { at: 'request', says: 'The answer comes late.', seconds: 1, strike: answer.delay },
  'clock-off': {
    at: 'request',
    says: "Date, and a date in Retry-After, go by a clock ahead of the world's.",
    seconds: CLOCK_OFF_SECONDS,
    strike: answer.skewClock,
  },
  closed: {
    at: 'request',
    says: 'Connections are refused for a while, once this request is answered.',
    seconds: 2,
    strike: answer.closeListener,
  },
  drop: { at: 'request', says: 'The connection closes unanswered; nothing is accepted.', strike: answer.drop },
  garbage: { at: 'request', says: 'A page of HTML with status 200; nothing is accepted.', strike: answer.page },
  ...plainRefusals(),
  'refuse-429': {
    at: 'request',
    says: 'Throttled, with Retry-After in seconds; nothing is accepted.',
    seconds: RETRY_AFTER_SECONDS,
    strike: refuse(429, 'throttled', 'seconds'),
  },
  'refuse-429-date': {
    at: 'request',
    says: 'Throttled, with Retry-After as a date; nothing is accepted.',
    seconds: RETRY_AFTER_SECONDS,
    strike: refuse(429, 'throttled', 'date'),
  },
  'refuse-500': {
    at: 'request',
    says: 'Not accepted, which the caller cannot know.',
    strike: refuse(500, 'internal_error'),
  },
  'refuse-503': {
    at: 'request',
    says: 'Not accepted, which the caller cannot know.',
    strike: refuse(503, 'unavailable'),
  },
  'refuse-503-retry-after': {
    at: 'request',
    says: 'Down for a while, with Retry-After in seconds; nothing is accepted.',
    seconds: RETRY_AFTER_SECONDS,
    strike: refuse(503, 'unavailable', 'seconds'),
  },

  'accept-500': { at: 'acceptance', says: 'Accepted, and answered 500.', strike: refuse(500, 'internal_error') },
  'accept-504': { at: 'acceptance', says: 'Accepted, and answered 504.', strike: refuse(504, 'gateway_timeout') },
  'accept-drop': { at: 'acceptance', says: 'Accepted, and the connection closes unanswered.', strike: answer.drop },
  'accept-garbage': { at: 'acceptance', says: 'Accepted, and answered with a page of HTML.', strike: answer.page },
  'accept-late': {
    at: 'acceptance',
    says: 'Accepted, and answered when many callers have given up.',
    seconds: LATE_SECONDS,
    strike: answer.delay,
  },
  'accept-same-id': {
    at: 'acceptance',
    says: 'Accepted as a task of its own, and answered with the id of the task before.',
    when: answer.isLaterSubmit,
    strike: answer.tellEarlierId,
  },

  'task-fails': { at: 'task', says: 'The task ends FAILED with code internal_error.', strike: () => 'fails' },
  'task-content-policy': {
    at: 'task',
    says: 'The task ends FAILED with code content_policy.',
    strike: () => 'content-policy',
  },
  'task-never-ends': { at: 'task', says: 'The task stays IN_PROGRESS.', strike: () => 'never-ends' },

  'read-expiring': {
    at: 'read',
    says: "The addresses in this answer are answered 403 after a while, until the task's result is read again.",
    seconds: 1,
    when: reading.hasFile,
    strike: reading.expireAddresses,
  },
  'read-backwards': {
    at: 'read',
    says: 'The state before the one that the last read was told.',
    when: reading.canGoBack,
    strike: reading.goBack,
  },
  'read-404': {
    at: 'read',
    says: '404 for a task that the last read was told is COMPLETED.',
    when: reading.hasToldCompleted,
    strike: reading.forget,
  },
  'read-other-task': { at: 'read', says: "Another task's answer, with its id.", strike: reading.tellOther },
  'read-no-address': {
    at: 'read',
    says: 'COMPLETED without an address.',
    when: reading.hasFile,
    strike: reading.leaveOutAddress,
  },

  'file-redirects': { at: 'file', says: 'Redirects without an end.', strike: file.redirectForEver },
  'file-html': { at: 'file', says: 'A page of HTML with status 200.', strike: answer.page },
  'file-empty': { at: 'file', says: 'Status 200 and no bytes.', strike: file.empty },
  'file-truncated': { at: 'file', says: 'The right length announced, half of it sent.', strike: file.truncate },
  'file-short': { at: 'file', says: 'A greater length announced than there is.', strike: file.announceTooMuch },
  'file-long': { at: 'file', says: 'Half the length announced, all of it sent.', strike: file.announceTooLittle },
  'file-reset': { at: 'file', says: 'The connection reset in the middle.', strike: file.reset },
  'file-stalls': { at: 'file', says: 'Nothing more from the middle on.', strike: file.stall },
  'file-slow': { at: 'file', says: 'All of it, spread over a time.', seconds: 10, strike: file.trickle },
} as const satisfies Record<string, AnyFault>;
export type FaultName = keyof typeof FAULTS;

type RefusedStatus = {
  [Status in keyof typeof STATUSES]: (typeof STATUSES)[Status] extends { readonly fault: string } ? Status : never;
}[keyof typeof STATUSES];

/** A fault for each status of the gateway's table that has an error code. */
function plainRefusals(): Readonly<Record<`refuse-${RefusedStatus}`, Fault<'request'>>> {
  const faults = Object.entries(STATUSES).flatMap(([status, meaning]): [string, Fault<'request'>][] => {
    if (!('fault' in meaning)) return [];
    const strike = refuse(Number(status) as RefusedStatus, meaning.fault);
    return [[`refuse-${status}`, { at: 'request', says: REFUSED, strike }]];
  });
  return Object.fromEntries(faults) as ReturnType<typeof plainRefusals>;
}
