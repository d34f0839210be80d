import { type Dispatcher, errors } from 'undici';
import { acceptanceOfStatus } from './statuses';
import { codeOf, ConnectError, type Lane } from './connection';
import { decodeBody } from './content-coding';
import { type Deadline, orAborted, startDeadline } from './deadline';
import { EnvelopeFault } from './envelope';
import { GatewayError, type GatewayErrorFacts } from './errors';
import type { Redact } from './redaction';
import { readRetryAfter } from './retry-after';

/** Largest accepted answer. Most answers have a few kilobytes; a text model's answer may be longer. */
const RESPONSE_MAX_BYTES = 4 * 1024 * 1024;
/** How much of an error answer's body is read. Only the start of the body is shown. */
const ERROR_BODY_MAX_BYTES = 64 * 1024;

const TIMEOUT_CODES: readonly string[] = ['UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'];

export interface Call<T> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly bodyMs: number;
  readonly totalMs: number;
  readonly signal: AbortSignal | undefined;
  /** Reads the body of a 2xx answer. Throws EnvelopeFault if the body is unusable. */
  readonly read: (text: string) => T;
}

export interface ExchangeRules {
  readonly origin: string;
  readonly redact: Redact;
  /** Removes the API key from a path. A task id in the path may contain the key. */
  readonly removeKey: (text: string) => string;
  readonly notAcceptedStatuses: readonly number[];
}

/**
 * Sends one request once, and reads its answer. No redirect is followed.
 *
 * @throws GatewayError unless the answer is a readable 2xx.
 */
export async function exchange<T>(call: Call<T>, lane: Lane, rules: ExchangeRules): Promise<T> {
  const deadline = startDeadline(call.totalMs, call.signal);
  let status: number | undefined;
  const isSent = () => status !== undefined || lane.mayBeSent();
  const fail = (facts: Omit<GatewayErrorFacts, 'method' | 'path' | 'acceptance'>) =>
    new GatewayError({
      method: call.method,
      path: rules.removeKey(call.path),
      acceptance: call.method === 'GET' ? 'yes' : isSent() ? 'unclear' : 'no',
      ...(status === undefined ? {} : { status }),
      ...facts,
    });
  let text = '';
  try {
    deadline.signal.throwIfAborted();
    const request = lane.dispatcher.request({
      origin: rules.origin,
      method: call.method,
      path: call.path,
      headers: call.headers,
      body: call.body,
      // No limit here: undici's timer would run while the request is still being sent. The deadline limits the call.
      headersTimeout: 0,
      bodyTimeout: call.bodyMs,
      // Larger than any body that is read, so that a slow reader never blocks the parser. undici 7 crashes the process
      // if the server closes a connection while the parser is blocked (nodejs/undici#5360).
      highWaterMark: 2 * RESPONSE_MAX_BYTES,
      signal: deadline.signal,
    });
    const answer = await orAborted(request, deadline.signal);
    status = answer.statusCode;
    if (status < 200 || status > 299) throw await refusal(call, answer, rules);
    text = await readWhole(answer);
    return call.read(text);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    if (error instanceof EnvelopeFault) {
      throw fail({ kind: 'protocol', what: `answered ${rules.redact(error.message, 200)}`, body: rules.redact(text) });
    }
    throw fail(describeFault(error, call, { deadline, lack: lackOf(status, isSent()), redact: rules.redact }));
  } finally {
    deadline.release();
    lane.release();
  }
}

/**
 * Makes the error for an answer whose status is not 2xx. The error shows the start of the body, even if the body is
 * broken or endless.
 */
async function refusal<T>(call: Call<T>, answer: Dispatcher.ResponseData, rules: ExchangeRules): Promise<GatewayError> {
  const { statusCode: status, headers } = answer;
  const retryAfterMs = readRetryAfter(header(headers['retry-after']), header(headers['date']), Date.now());
  return new GatewayError({
    kind: 'response',
    method: call.method,
    path: rules.removeKey(call.path),
    what: `answered ${status}${describeRedirect(status, header(headers['location']), rules)}`,
    status,
    retryAfterMs,
    body: rules.redact(await readBeginning(answer)),
    acceptance: call.method === 'GET' ? 'yes' : acceptanceOfStatus(status, retryAfterMs, rules.notAcceptedStatuses),
  });
}

/** Names the redirect's target. The usual cause of a redirect is a base URL with http instead of https. */
function describeRedirect(status: number, location: string | null, { origin, redact }: ExchangeRules): string {
  if (status > 399 || location === null || !URL.canParse(location, origin)) return '';
  const target = new URL(location, origin);
  return ` and points to ${redact(target.origin + target.pathname, 200)}; redirects are not followed`;
}

/** Reads the whole body before decoding it, so that a slow decoder never blocks the HTTP parser. */
async function readWhole({ body, headers }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > RESPONSE_MAX_BYTES) throw tooLong();
    chunks.push(chunk);
  }
  const decoded = await decode(Buffer.concat(chunks), headers, RESPONSE_MAX_BYTES);
  if (decoded.length > RESPONSE_MAX_BYTES) throw tooLong();
  return decoded.toString('utf8');
}

function tooLong(): EnvelopeFault {
  return new EnvelopeFault(`with more than ${RESPONSE_MAX_BYTES} bytes`);
}

async function readBeginning({ body, headers }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes >= ERROR_BODY_MAX_BYTES) break;
    }
  } catch {
    // Ignore the error: the status is known, and the bytes that arrived are shown.
  }
  const beginning = await decode(Buffer.concat(chunks), headers, ERROR_BODY_MAX_BYTES).catch(() => Buffer.alloc(0));
  return beginning.toString('utf8');
}

/**
 * Decodes a body. If the body cannot be decoded as its header says, returns the body unchanged: a proxy may have
 * decoded it.
 */
async function decode(bytes: Buffer, headers: Dispatcher.ResponseData['headers'], maxBytes: number): Promise<Buffer> {
  try {
    return await decodeBody(bytes, [headers['content-encoding'] ?? []].flat().join(', '), maxBytes);
  } catch {
    return bytes;
  }
}

function lackOf(status: number | undefined, isSent: boolean): string {
  if (status !== undefined) return 'was not answered whole';
  return isSent ? 'was not answered' : 'was not sent whole';
}

function describeFault<T>(
  error: unknown,
  call: Call<T>,
  { deadline, lack, redact }: { readonly deadline: Deadline; readonly lack: string; readonly redact: Redact },
): Pick<GatewayErrorFacts, 'kind' | 'what'> {
  if (deadline.calledOff()) return { kind: 'network', what: 'was called off' };
  if (deadline.expired()) return { kind: 'timeout', what: `${lack} within ${call.totalMs} ms` };
  if (error instanceof ConnectError) {
    const kind = error.timedOut ? 'timeout' : 'network';
    return { kind, what: `was not sent: no connection (${redact(error.message || error.code, 200)})` };
  }
  const code = codeOf(error);
  if (TIMEOUT_CODES.includes(code)) return { kind: 'timeout', what: `${lack} in time (${code})` };
  // The answer is not HTTP, or its headers are endless.
  const isGarbage = error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;
  if (isGarbage) return { kind: 'protocol', what: 'answered with something that is not HTTP' };
  return { kind: 'network', what: `${lack}: the connection broke (${code})` };
}

function header(value: string | string[] | undefined): string | null {
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}
