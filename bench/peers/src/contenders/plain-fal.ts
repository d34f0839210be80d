import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError, look, submit, type TaskEnd } from '../steps';
import { type Job, type Shot, type Work } from '../work';
import { type Retry, retrying, runPlain } from './plain';

/**
 * A script in the style of fal-js's `fal.subscribe()`. The script submits, polls at once, and then polls every 500 ms
 * until the task has ended, without a time limit. The script retries requests as fal-js does, including the submit.
 *
 * After a restart the script skips shots whose output exists and buys the others again.
 *
 * Source: github.com/fal-ai/fal-js, libs/client/src/queue.ts (subscribeToStatus, QUEUE_RETRY_CONFIG,
 * QUEUE_STATUS_RETRY_CONFIG), retry.ts; commit 381105e.
 */

/** fal-js's DEFAULT_POLL_INTERVAL. */
const POLL_MS = 500;

const SUBMIT_RETRY = retry({ times: 3, longestMs: 60_000, statuses: [429, 502, 503, 504] });
const STATUS_RETRY = retry({ times: 5, longestMs: 30_000, statuses: [429, 500, 502, 503, 504] });

runPlain({ render: subscribe, readRetry: STATUS_RETRY });

async function subscribe(work: Work, job: Job, shot: Shot): Promise<TaskEnd> {
  const taskId = await retrying(SUBMIT_RETRY, () => submit(work, job, shot));
  for (;;) {
    const end = await retrying(STATUS_RETRY, () => look(work, taskId));
    if (end !== undefined) return end;
    await sleep(POLL_MS);
  }
}

interface RetryConfig {
  readonly times: number;
  readonly longestMs: number;
  readonly statuses: readonly number[];
}

/** The delay doubles from one second up to `longestMs`, plus or minus up to 25 %. Retry-After is ignored. */
function retry({ times, longestMs, statuses }: RetryConfig): Retry {
  return {
    times,
    isTransient(error) {
      if (!(error instanceof GatewayError)) return isOfNetwork(error);
      return error.refusal !== undefined && statuses.includes(error.refusal.status);
    },
    delayMs: (attempt) => Math.min(1_000 * 2 ** attempt, longestMs) * (0.75 + Math.random() / 2),
  };
}

/** As fal-js's `isRetryableNetworkError`: a known code anywhere in the chain of causes, or a failed fetch. */
function isOfNetwork(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && NETWORK_CODES.has(String(cause.code))) return true;
  }
  return error instanceof TypeError && /fetch failed/i.test(error.message);
}

/** fal-js's RETRYABLE_NETWORK_ERROR_CODES. */
const NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_SOCKET',
]);
