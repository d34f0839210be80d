import { type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { checkAddress, createGuardedLookup, downloadGuard } from './address-guard';
import { chunksOf, type Pace, requestAsset, Stalled } from './asset-request';
import { codeOf } from './connection';
import { DownloadError, type DownloadFailure } from './download-error';
import { type Redact } from './redaction';

/** Limits for downloads: allowed addresses, size and pace. */
export interface DownloadPolicy {
  /** Hosts, `host` or `host:port`, that may be in a private range. To allow the gateway's own host, list it too. */
  readonly allowedPrivateHosts: readonly string[];
  readonly maxBytes: number;
  /** Longest time without a byte. Default: STALL_MS. */
  readonly stallMs?: number;
  /** The lowest accepted pace. Only the time in which the reader waits for bytes counts. Default: LEAST_PACE. */
  readonly leastPace?: Pace;
  /** Removes the gateway's key from messages. Default: no redaction. */
  readonly redact?: Redact;
}

export interface DownloadRequest {
  readonly url: string;
  /** Number of bytes that the caller has; absent or 0 for the whole asset. */
  readonly fromByte?: number;
  /**
   * The strong entity tag of the bytes that the caller has. A 206 with another tag, or without one, fails with
   * `restart`. With `fromByte`, give the tag unless the asset is known not to change.
   */
  readonly ifRange?: string;
}

/**
 * A download in progress. With status 200 it starts at the first byte, whatever was requested; with 206 at `fromByte`.
 */
export interface Download {
  readonly status: 200 | 206;
  /** Size of the whole asset; null if the server does not say. */
  readonly totalBytes: number | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** From Content-Type, without parameters, in lower case; null if the server does not say. */
  readonly mediaType: string | null;
  /**
   * Fails with DownloadError (also if the asset is incomplete or too large); if the signal aborts, with its reason. The
   * caller must read or destroy the body.
   */
  readonly body: Readable;
}

/** More redirects than any storage service needs. */
const MAX_REDIRECTS = 5;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

const CONNECT_MS = 10_000;

/** Longest time without a byte. The total time has no limit, so a large clip may come over a slow line. */
const STALL_MS = 30_000;

/** About 1 kB/s. A slower server could keep a download from ever ending. */
const LEAST_PACE: Pace = { bytes: 64 * 1024, windowMs: 60_000 };

/**
 * Opens an asset's address for reading. The gateway's key is never sent there.
 *
 * @throws DownloadError; if the signal aborts, its reason.
 */
export async function openDownload(
  request: DownloadRequest,
  options: { readonly policy: DownloadPolicy; readonly signal?: AbortSignal },
): Promise<Download> {
  const { policy, signal } = options;
  const { stallMs = STALL_MS } = policy;
  const guard = downloadGuard(policy.allowedPrivateHosts, policy.redact);
  let url = checkAddress(request.url, undefined, guard);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    let answer: IncomingMessage | undefined;
    try {
      answer = await ask(url, request, policy, stallMs, signal);
      const location = header(answer, 'location');
      if (!REDIRECTS.includes(answer.statusCode ?? 0) || location === null) {
        return accept(answer, { url, request, policy, stallMs, signal });
      }
      url = checkAddress(location, url, guard);
      answer.destroy();
    } catch (error) {
      answer?.destroy();
      throw translate(error, { url, policy, signal }, false);
    }
  }
  throw fault({ url, policy }, 'status', `is redirected more than ${MAX_REDIRECTS} times`);
}

async function ask(
  url: URL,
  { fromByte = 0, ifRange }: DownloadRequest,
  policy: DownloadPolicy,
  stallMs: number,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  signal?.throwIfAborted();
  return requestAsset(url, {
    headers: {
      accept: '*/*',
      // Request the bytes unencoded, since they are counted, resumed and hashed as they are stored.
      'accept-encoding': 'identity',
      ...(fromByte > 0 && { range: `bytes=${fromByte}-`, ...(ifRange !== undefined && { 'if-range': ifRange }) }),
    },
    lookup: createGuardedLookup(url, downloadGuard(policy.allowedPrivateHosts, policy.redact)),
    connectMs: CONNECT_MS,
    stallMs,
    signal,
  });
}

interface Context {
  readonly url: URL;
  readonly request: DownloadRequest;
  readonly policy: DownloadPolicy;
  readonly stallMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Checks an answer's headers before its body is read. */
function accept(answer: IncomingMessage, context: Context): Download {
  const { policy, request, stallMs } = context;
  const status = answer.statusCode ?? 0;
  const wanted = request.fromByte ?? 0;
  // 416: the asset has no bytes after the caller's. The asset has changed, or the caller has all of it.
  if (status === 416 && wanted > 0) throw fault(context, 'restart', 'answered 416', status);
  if (status !== 200 && status !== 206) throw fault(context, 'status', `answered ${status}`, status);
  const encoding = header(answer, 'content-encoding')?.trim() || 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw fault(context, 'status', `answered with content-encoding ${encoding}, which was not requested`, status);
  }
  const etag = header(answer, 'etag');
  const fromByte = status === 206 ? wanted : 0;
  const totalBytes = status === 206 ? continuedTotal(answer, context, etag) : readLength(answer);
  if (totalBytes !== null && totalBytes > policy.maxBytes) throw tooLarge(context);
  const body = Readable.from(
    count(chunksOf(answer, stallMs, policy.leastPace ?? LEAST_PACE), fromByte, totalBytes, context),
    { objectMode: false },
  );
  // This event also comes if the body was never read.
  body.once('close', () => answer.destroy());
  return {
    status,
    totalBytes,
    etag,
    lastModified: header(answer, 'last-modified'),
    mediaType: header(answer, 'content-type')?.split(';')[0]?.trim().toLowerCase() || null,
    body,
  };
}

/** Checks that a 206 continues the same asset at the requested byte. Returns the asset's size; null if unknown. */
function continuedTotal(answer: IncomingMessage, context: Context, etag: string | null): number | null {
  const { request } = context;
  const range = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(header(answer, 'content-range') ?? '');
  if (range === null || request.fromByte === undefined || Number(range[1]) !== request.fromByte) {
    const { fromByte = 0 } = request;
    // Without a requested range, `restart` would advise what the caller has just done.
    if (fromByte === 0) throw fault(context, 'status', 'answered 206, although no part was requested', 206);
    throw fault(context, 'restart', `did not continue at byte ${fromByte}`, 206);
  }
  // Compare the tags as well, because some servers ignore If-Range. A 206 must repeat the ETag of the 200.
  if (request.ifRange !== undefined && etag !== request.ifRange) {
    throw fault(context, 'restart', 'answered with another entity tag: the asset may have changed', 206);
  }
  return range[3] === '*' ? null : Number(range[3]);
}

async function* count(
  chunks: AsyncIterable<Buffer>,
  fromByte: number,
  totalBytes: number | null,
  context: Context,
): AsyncGenerator<Buffer> {
  let position = fromByte;
  try {
    for await (const chunk of chunks) {
      position += chunk.length;
      if (position > context.policy.maxBytes) throw tooLarge(context);
      yield chunk;
    }
  } catch (error) {
    throw translate(error, context, true);
  }
  if (totalBytes !== null && position !== totalBytes) {
    throw fault(context, 'truncated', `ended at byte ${position} of ${totalBytes}`);
  }
}

function translate(error: unknown, context: Pick<Context, 'url' | 'policy' | 'signal'>, hasBegun: boolean): unknown {
  const { signal } = context;
  if (signal?.aborted === true) return signal.reason;
  if (error instanceof DownloadError) return error;
  if (error instanceof Stalled) return fault(context, 'stalled', error.message);
  const code = codeOf(error);
  // Node reports every early end as a reset.
  if (hasBegun && code === 'ECONNRESET') return fault(context, 'truncated', 'was cut off: the connection was reset');
  return fault(context, 'network', `failed: ${code}`);
}

function tooLarge(context: Context): DownloadError {
  return fault(context, 'too-large', `has more than the ${context.policy.maxBytes} bytes that are allowed`);
}

function fault(
  { url, policy }: Pick<Context, 'url' | 'policy'>,
  kind: DownloadFailure,
  what: string,
  status: number | null = null,
): DownloadError {
  return new DownloadError(kind, url, what, {
    status,
    ...(policy.redact === undefined ? {} : { redact: policy.redact }),
  });
}

function readLength(answer: IncomingMessage): number | null {
  const length = header(answer, 'content-length') ?? '';
  return /^\d+$/.test(length) ? Number(length) : null;
}

function header({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}
