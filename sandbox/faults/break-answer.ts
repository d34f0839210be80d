import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { submitAnswer } from '../http/answers';
import { RequestRefused } from '../http/request-refused';
import type { SandboxTask } from '../tasks/task-journal';
import type { Mode } from '../http/workflow-address';
import type { Wire } from './wire';

/** A request with a valid key, before its address and body are checked. */
export interface RequestTarget {
  readonly wire: Wire;
  /** An execute counts as a submit. */
  readonly on: 'submit' | 'read';
  /** Refuses new connections for some seconds. This request is still answered. */
  closeListener(seconds: number): void;
}

/** A submit or execute whose task is accepted and charged, whatever the answer says. */
export interface AcceptanceTarget {
  readonly wire: Wire;
  readonly mode: Mode;
  /** The previously accepted task; undefined for the first task. */
  readonly earlier: SandboxTask | undefined;
}

export interface WithWire {
  readonly wire: Wire;
}

/** A page that a proxy in front of a gateway might send. */
const HTML_PAGE =
  '<!doctype html><html><head><title>Please wait</title></head><body>We will be right back.</body></html>\n';

/**
 * Makes a fault that sends an error in the gateway's format. `retryAfter` is the format of the Retry-After header; by
 * default, the answer has no such header.
 */
export function refuse(status: ContentfulStatusCode, code: string, retryAfter?: 'seconds' | 'date') {
  return ({ wire }: WithWire, seconds: number): never => {
    const after = { seconds: () => String(seconds), date: () => wire.dateIn(seconds) };
    const details = retryAfter === undefined ? {} : { retryAfter: after[retryAfter]() };
    throw new RequestRefused(status, code, 'The sandbox was told to answer this.', details);
  };
}

export function drop({ wire }: WithWire): Response {
  return wire.drop();
}

export function htmlPage(): Response {
  return new Response(HTML_PAGE, { headers: { 'content-type': 'text/html; charset=utf-8' } });
}

export async function delay({ wire }: WithWire, seconds: number): Promise<undefined> {
  await wire.wait(seconds);
  return undefined;
}

export function skewClock({ wire }: WithWire, seconds: number): undefined {
  wire.skew(seconds);
}

export function closeListener(target: RequestTarget, seconds: number): undefined {
  target.closeListener(seconds);
}

export function isLaterSubmit({ mode, earlier }: AcceptanceTarget): boolean {
  return mode === 'submit' && earlier !== undefined;
}

export function answerWithEarlierId({ earlier }: AcceptanceTarget): Response | undefined {
  return earlier && Response.json(submitAnswer(earlier));
}
