import { checkNotAcceptedStatuses } from './statuses';
import { isReadableByOthers } from './address-guard';
import { type ModelAddress, parseBaseUrl, resultPath, taskPath } from './addresses';
import { createConnections } from './connection';
import { EnvelopeFault, readExecuteAnswer, readResultAnswer, readSubmitAnswer, requestBody } from './envelope';
import type { TaskReading, TaskRequest } from './envelope';
import { GatewayError } from './errors';
import { type Call, exchange } from './exchange';
import { type TaskResultReading } from './readings';
import { createGivesKeyAway, createRedact, createRemoveKey, isShortKey } from './redaction';
import { resolveTimeouts, type Timeouts } from './timeouts';

export interface GatewayClientOptions {
  /** May have a path; no query, no fragment, no credentials. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeouts?: Partial<Timeouts>;
  /** Other machines, as `host` or `host:port`, to which the key may be sent over plain http. Default: none. */
  readonly plainHttpHosts?: readonly string[];
  /** Statuses with which this gateway is known to refuse tasks, in addition to those in `STATUSES`. */
  readonly notAcceptedStatuses?: readonly number[];
}

export interface PaidCallOptions {
  /** Identifies the take. It is the same for every sending of the take, whichever process sends. */
  readonly idempotencyKey: string;
  readonly signal?: AbortSignal;
}

/**
 * The gateway's endpoints. Each call is one attempt: nothing is retried, and no redirect is followed.
 *
 * The calls throw only GatewayError.
 */
export interface GatewayClient {
  readonly origin: string;
  /** Starts a task, which costs money. */
  submit(request: TaskRequest, options: PaidCallOptions): Promise<{ taskId: string }>;
  /** Runs a task that should end within EXECUTE_LIMIT_MS. `taskId` is null if the answer has no usable id. */
  execute(request: TaskRequest, options: PaidCallOptions): Promise<TaskReading & { taskId: string | null }>;
  /** Reads a task's state once. */
  read(task: { taskId: string; model: ModelAddress }, options?: { signal?: AbortSignal }): Promise<TaskReading>;
  /** Closes the connections after the calls in progress have ended. */
  close(): Promise<void>;
}

/**
 * Makes a client for one gateway and one key. The key is only in the closure, so nothing that can be logged shows it.
 *
 * @throws TypeError for an unusable address or key, and for plain http to another machine outside `plainHttpHosts`;
 *   RangeError for an invalid timeout or status.
 */
export function createGatewayClient(options: GatewayClientOptions): GatewayClient {
  const { origin, prefix } = parseBaseUrl(options.baseUrl);
  if (!/^[\x21-\x7e]+$/.test(options.apiKey)) {
    throw new TypeError(
      "The gateway's key is empty or holds characters that a header cannot carry, such as a line break",
    );
  }
  if (isReadableByOthers(options.baseUrl, options.plainHttpHosts ?? [])) {
    throw new TypeError(
      `The gateway's address is ${origin}: over plain http others on the network could read the key. ` +
        'Use https, or list the host in plainHttpHosts',
    );
  }
  const timeouts = resolveTimeouts(options.timeouts);
  const notAcceptedStatuses = checkNotAcceptedStatuses(options.notAcceptedStatuses ?? []);
  const redact = createRedact(options.apiKey);
  const removeKey = isShortKey(options.apiKey) ? (text: string) => text : createRemoveKey(options.apiKey);
  const givesKeyAway = createGivesKeyAway(options.apiKey);
  const rules = { origin, redact, removeKey, notAcceptedStatuses };
  const connections = createConnections(origin, timeouts.connectMs);
  const headers = {
    authorization: `Bearer ${options.apiKey}`,
    accept: 'application/json',
    'accept-encoding': 'identity',
  };

  async function pay<T>(
    verb: 'submit' | 'execute',
    request: TaskRequest,
    { idempotencyKey, signal }: PaidCallOptions,
    read: (text: string) => T,
  ): Promise<T> {
    const call = prepare('POST', () => ({
      method: 'POST' as const,
      path: prefix + taskPath(request.model, verb),
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': checkHeader(idempotencyKey) },
      body: requestBody(request),
      bodyMs: timeouts.bodyMs,
      totalMs: timeouts.paidTotalMs,
      signal,
      read,
    }));
    return exchange(call, connections.own(Buffer.byteLength(call.body ?? '')), rules);
  }

  return Object.freeze({
    origin,
    submit: (request: TaskRequest, paid: PaidCallOptions) =>
      pay('submit', request, paid, (text) => checkTaskId(readSubmitAnswer(text), givesKeyAway)),
    execute: (request: TaskRequest, paid: PaidCallOptions) =>
      pay('execute', request, paid, (text) =>
        checkTaskId(withoutKey(readExecuteAnswer(text, redact), removeKey), givesKeyAway),
      ),
    async read({ taskId, model }: { taskId: string; model: ModelAddress }, { signal }: { signal?: AbortSignal } = {}) {
      const call = prepare('GET', () => ({
        method: 'GET' as const,
        path: prefix + resultPath(model, taskId),
        headers,
        body: null,
        bodyMs: timeouts.bodyMs,
        totalMs: timeouts.readTotalMs,
        signal,
        read: (text: string) => withoutKey(readResultAnswer(text, taskId, redact), removeKey),
      }));
      return exchange(call, connections.shared(), rules);
    },
    close: () => connections.close(),
  });
}

/**
 * Refuses an id that reveals the key: ids go unchanged into the ledger, histories and addresses. If the task has ended,
 * the id is not needed, and is dropped instead.
 */
function checkTaskId<T extends { readonly taskId: string | null; readonly state?: TaskReading['state'] }>(
  answer: T,
  givesKeyAway: (taskId: string) => boolean,
): T {
  const { taskId, state } = answer;
  if (taskId === null || !givesKeyAway(taskId)) return answer;
  if (state === 'completed' || state === 'failed') return { ...answer, taskId: null };
  throw new EnvelopeFault("with a task id that holds the gateway's key");
}

/**
 * Removes the key from the parts of a result that are stored. The addresses in the result are used at once and not
 * stored, so they stay unchanged.
 */
function withoutKey<T extends TaskReading>(reading: T, removeKey: (text: string) => string): T {
  if (reading.state !== 'completed') return reading;
  const { raw, text, model, ...addresses } = reading.result;
  // `raw` contains the text too, which may be long, so each text is searched once.
  const kept = changeTexts({ raw, text, model }, onceEach(removeKey)) as Pick<
    TaskResultReading,
    'raw' | 'text' | 'model'
  >;
  return { ...reading, result: { ...addresses, ...kept } };
}

function onceEach(change: (text: string) => string): (text: string) => string {
  const changed = new Map<string, string>();
  return (text) => {
    const known = changed.get(text) ?? change(text);
    changed.set(text, known);
    return known;
  };
}

/** Changes each text in a JSON value, including the names of fields. */
function changeTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => changeTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [change(name), changeTexts(field, change)] as const),
  );
}

/** Builds a request. If it cannot be built, throws a GatewayError before anything is sent. */
function prepare<T>(method: 'GET' | 'POST', build: () => Call<T>): Call<T> {
  try {
    return build();
  } catch (error) {
    const what = `was not sent: ${error instanceof Error ? error.message : 'it cannot be written'}`;
    throw new GatewayError({
      kind: 'protocol',
      method,
      path: '/workflows/…',
      what,
      acceptance: method === 'GET' ? 'yes' : 'no',
    });
  }
}

function checkHeader(idempotencyKey: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
    throw new TypeError('the idempotency key must be 1 to 255 visible ASCII characters');
  }
  return idempotencyKey;
}
