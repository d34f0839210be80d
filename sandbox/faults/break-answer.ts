import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { submitAnswer } from '../answers';
import { RequestRefused } from '../request-refused';
import type { SandboxTask } from '../task-journal';
import type { Mode } from '../workflow-address';
import type { Wire } from './wire';

/** A request with a valid key, before the gateway looks at it. */
export interface RequestScene {
  readonly wire: Wire;
  /** An execute counts as a submit. */
  readonly on: 'submit' | 'read';
  /** Refuses connections for some seconds after this request is answered. */
  closeListener(seconds: number): void;
}

/** A submit or execute whose task is accepted and charged, whatever the answer says. */
export interface AcceptanceScene {
  readonly wire: Wire;
  readonly mode: Mode;
  /** The task accepted before this one. */
  readonly earlier: SandboxTask | undefined;
}

export interface OnWire {
  readonly wire: Wire;
}

/** What a proxy in front of a gateway might answer. */
const PAGE = '<!doctype html><html><head><title>Please wait</title></head><body>We will be right back.</body></html>\n';

/** A refusal in the gateway's own form, with Retry-After if `retryAfter` says how to write it. */
export function refuse(status: ContentfulStatusCode, code: string, retryAfter?: 'seconds' | 'date') {
  return ({ wire }: OnWire, seconds: number): never => {
    const after = { seconds: () => String(seconds), date: () => wire.dateIn(seconds) };
    const details = retryAfter === undefined ? {} : { retryAfter: after[retryAfter]() };
    throw new RequestRefused(status, code, 'The sandbox was told to answer this.', details);
  };
}

export function drop({ wire }: OnWire): Response {
  return wire.drop();
}

export function page(): Response {
  return new Response(PAGE, { headers: { 'content-type': 'text/html; charset=utf-8' } });
}

export async function delay({ wire }: OnWire, seconds: number): Promise<undefined> {
  await wire.wait(seconds);
  return undefined;
}

export function skewClock({ wire }: OnWire, seconds: number): undefined {
  wire.skew(seconds);
}

export function closeListener(scene: RequestScene, seconds: number): undefined {
  scene.closeListener(seconds);
}

export function isLaterSubmit({ mode, earlier }: AcceptanceScene): boolean {
  return mode === 'submit' && earlier !== undefined;
}

export function tellEarlierId({ earlier }: AcceptanceScene): Response | undefined {
  return earlier && Response.json(submitAnswer(earlier));
}
