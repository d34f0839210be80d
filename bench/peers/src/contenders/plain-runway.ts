import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError, look, submit, type TaskEnd } from '../steps';
import { type Job, type Shot, type Work } from '../work';
import { type Retry, retrying, runPlain } from './plain';

/**
 * A script in the style of runwayml/sdk-node's `create().waitForTaskOutput()`. The script waits 6 s ± 1.5 s before
 * every poll. The first wait starts with the submit. The script gives up a task after 10 minutes. Like the SDK, it
 * retries every request, including the submit, and limits each attempt to one minute.
 *
 * After a restart the script skips shots whose output exists and buys the others again.
 *
 * Source: github.com/runwayml/sdk-node 4.12.0, src/lib/polling.ts (wrapAsWaitableResource), src/client.ts (makeRequest,
 * shouldRetry, retryRequest), README, "Retries" and "Timeouts".
 */

/** The SDK's POLL_TIME and POLL_JITTER. */
const POLL_MS = 6_000;
const POLL_JITTER_MS = 3_000;

const TASK_LIMIT_MS = 10 * 60_000;
const REQUEST_LIMIT_MS = 60_000;

/** No answer in time. It is unknown whether the request was accepted. */
class RequestLate extends Error {
  override readonly name = 'RequestLate';
}

const RETRY: Retry = {
  times: 2,
  isTransient(error) {
    // `fetch` throws a TypeError if there is no answer. An answer that cannot be parsed is not retried.
    if (!(error instanceof GatewayError)) return error instanceof TypeError || error instanceof RequestLate;
    const { status } = error.refusal ?? {};
    return status !== undefined && ([408, 409, 429].includes(status) || status >= 500);
  },
  delayMs: (attempt, error) => askedDelayMs(error) ?? Math.min(500 * 2 ** attempt, 8_000) * (1 - Math.random() / 4),
};

runPlain({ render: createAndWait, readRetry: RETRY });

async function createAndWait(work: Work, job: Job, shot: Shot): Promise<TaskEnd> {
  const [taskId] = await Promise.all([request(() => submit(work, job, shot)), pause()]);
  const startedAt = Date.now();
  do {
    const end = await request(() => look(work, taskId));
    if (end !== undefined) return end;
    await pause();
  } while (Date.now() - startedAt <= TASK_LIMIT_MS);
  throw new Error(`task ${taskId} has not ended within ${TASK_LIMIT_MS} ms`);
}

async function pause(): Promise<void> {
  await sleep(POLL_MS + Math.random() * POLL_JITTER_MS - POLL_JITTER_MS / 2);
}

/** Sends a request up to three times, with a time limit for each attempt. */
function request<T>(send: () => Promise<T>): Promise<T> {
  return retrying(RETRY, async () => {
    const limit = new AbortController();
    const late = sleep(REQUEST_LIMIT_MS, undefined, { signal: limit.signal }).then(() => {
      throw new RequestLate(`no answer within ${REQUEST_LIMIT_MS} ms`);
    });
    try {
      return await Promise.race([send(), late]);
    } finally {
      limit.abort();
    }
  });
}

/** Delay from Retry-After, which holds seconds or a date; undefined without this header. */
function askedDelayMs(error: unknown): number | undefined {
  const retryAfter = error instanceof GatewayError ? error.refusal?.retryAfter : null;
  if (retryAfter == null) return undefined;
  const seconds = Number.parseFloat(retryAfter);
  return Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.now() : seconds * 1_000;
}
