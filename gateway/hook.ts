import { type IncomingMessage } from 'node:http';
import { connect, type LookupFunction } from 'node:net';
import { type AddressGuard, checkAddress, createGuardedLookup } from './address-guard';
import { chunksOf, requestAsset, Stalled } from './asset-request';
import { codeOf } from './connection';
import { orAborted, startDeadline } from './deadline';
import { readRetryAfter } from './retry-after';

/** Limits for posting hooks (webhooks): allowed addresses, and time. */
export interface HookPolicy {
  /** Hosts, `host` or `host:port`, that may be in a private range. */
  readonly allowedPrivateHosts: readonly string[];
  /** Limit for DNS, connection and answer together. Default: TOTAL_MS. */
  readonly totalMs?: number;
}

export interface HookPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Why a hook was not delivered. */
export type HookFailure =
  /** The address is not http(s), has credentials, or is neither public nor listed in `allowedPrivateHosts`. */
  | 'refused-address'
  /** 410: the receiver wants no more hooks. */
  | 'gone'
  /** Any other status outside 2xx, including a redirect, which is not followed. */
  | 'status'
  | 'network'
  | 'timeout';

/** A failed hook. The message names only the host: the rest of a hook's address is often a secret. */
export class HookError extends Error {
  override readonly name = 'HookError';
  readonly kind: HookFailure;
  /** From Retry-After, for `status` only; null if absent or unreadable. */
  readonly retryAfterMs: number | null;

  constructor(kind: HookFailure, url: URL | null, what: string, retryAfterMs: number | null = null) {
    super(`POST to ${url?.host ?? 'an address'} ${what}`);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Standard Webhooks recommends 15 to 30 s. */
const TOTAL_MS = 15_000;
const CONNECT_MS = 10_000;

/** Kept short: a person waits for this check before each render. */
const CHECK_MS = 3_000;

/** Only the status matters. The body is read up to this size, so that the connection ends cleanly. */
const ANSWER_MAX_BYTES = 64 * 1024;

/**
 * Posts a hook once. No redirect is followed.
 *
 * @throws HookError unless the status is 2xx; the reason of `signal` if it aborts.
 */
export async function postHook(
  { url: address, headers, body }: HookPost,
  { policy, signal }: { readonly policy: HookPolicy; readonly signal?: AbortSignal },
): Promise<void> {
  const { allowedPrivateHosts, totalMs = TOTAL_MS } = policy;
  const guard = guardOf(allowedPrivateHosts);
  const url = checkAddress(address, undefined, guard);
  const deadline = startDeadline(totalMs, signal);
  let answer: IncomingMessage | undefined;
  try {
    const request = requestAsset(url, {
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      lookup: createGuardedLookup(url, guard),
      connectMs: Math.min(CONNECT_MS, totalMs),
      stallMs: totalMs,
      signal: deadline.signal,
      body,
    });
    answer = await orAborted(request, deadline.signal);
    checkStatus(answer, url);
    await drain(answer, totalMs).catch(() => undefined);
  } catch (error) {
    if (deadline.calledOff()) throw signal?.reason;
    if (error instanceof HookError) throw error;
    if (deadline.expired() || error instanceof Stalled) {
      throw new HookError('timeout', url, `was not answered within ${totalMs} ms`);
    }
    throw new HookError('network', url, `failed: ${codeOf(error)}`);
  } finally {
    deadline.release();
    answer?.destroy();
  }
}

/**
 * Checks a hook without posting: its address, DNS, and a TCP connection.
 *
 * @returns undefined, or the error: `refused-address`, or `network` if no connection can be made now.
 */
export async function checkHook(address: string, { allowedPrivateHosts }: HookPolicy): Promise<HookError | undefined> {
  const guard = guardOf(allowedPrivateHosts);
  try {
    const url = checkAddress(address, undefined, guard);
    await connected(url, createGuardedLookup(url, guard)).catch((error: unknown) => {
      throw error instanceof HookError ? error : new HookError('network', url, `would fail now: ${codeOf(error)}`);
    });
    return undefined;
  } catch (error) {
    if (error instanceof HookError) return error;
    throw error;
  }
}

function connected(url: URL, lookup: LookupFunction): Promise<void> {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return new Promise((resolve, reject) => {
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port, lookup, timeout: CHECK_MS });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => {
      socket.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }));
    });
    socket.once('error', reject);
  });
}

function guardOf(allowedHosts: readonly string[]): AddressGuard {
  return {
    allowedHosts,
    variable: 'DAILIES_NOTIFY_HOSTS',
    refuse: (url, why) => new HookError('refused-address', url, why),
  };
}

function checkStatus({ statusCode: status = 0, headers }: IncomingMessage, url: URL): void {
  if (status >= 200 && status <= 299) return;
  if (status === 410) throw new HookError('gone', url, 'answered 410: the receiver wants no more');
  const why = status >= 300 && status <= 399 ? '; redirects are not followed' : '';
  const retryAfterMs = readRetryAfter(headers['retry-after'] ?? null, headers.date ?? null, Date.now());
  throw new HookError('status', url, `answered ${status}${why}`, retryAfterMs);
}

async function drain(answer: IncomingMessage, stallMs: number): Promise<void> {
  let sizeBytes = 0;
  for await (const chunk of chunksOf(answer, stallMs)) {
    sizeBytes += chunk.length;
    if (sizeBytes > ANSWER_MAX_BYTES) return;
  }
}
