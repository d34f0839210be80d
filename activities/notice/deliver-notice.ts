import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type NoticeActivities } from '../../contracts/activities';
import { type NoticeInput } from '../../contracts/notice';
import { HookError, type HookFailure, type HookPolicy, postHook } from '../../gateway';
import { type Notices, type NoticeResult, type Store } from '../../store';
import { failure } from '../fail';
import { signedNotice, type SigningSecret } from './sign-notice';
import { withHeartbeat } from '../with-heartbeat';

export interface NoticeDependencies {
  readonly store: Pick<Store, 'notices'>;
  /** If empty, nothing is sent. Each notice is signed with all secrets, so that a secret can be replaced. */
  readonly secrets: readonly SigningSecret[];
  readonly policy: HookPolicy;
}

/** Shorter Retry-After times are ignored; the retry policy's growing delays apply. */
const LEAST_RETRY_AFTER_MS = 5_000;

/** After these failures the activity is not retried. */
const FINAL: readonly HookFailure[] = ['refused-address', 'gone'];

/**
 * Makes the activities that post notices to a webhook. A notice whose delivery is recorded is not posted again. If a
 * worker was killed before it recorded the delivery, the notice is posted again with the same id and body.
 *
 * @throws HookFailed, NotifySecretMissing (both retried); HookRefused, AssetMissing (both final).
 */
export function createNoticeActivities({ store, secrets, policy }: NoticeDependencies): NoticeActivities {
  const { notices } = store;
  return {
    deliverNotice: (input) =>
      withHeartbeat(async ({ cancellationSignal: signal, info: { attempt: attempts } }) => {
        if ((await notices.result(input))?.state === 'delivered') return;
        const note = (result: Pick<NoticeResult, 'state' | 'reason'>): Promise<void> =>
          noted(notices, input, { ...result, attempts });
        try {
          await post(input);
        } catch (error) {
          // The attempt was cancelled. The next attempt or the workflow records the result.
          if (signal.aborted) throw error;
          const reason = error instanceof Error ? error.message : String(error);
          await note({ state: isFinal(error) ? 'undelivered' : 'trying', reason });
          throw error;
        }
        await note({ state: 'delivered', reason: null });

        async function post({ notice, target }: NoticeInput): Promise<void> {
          const url = await notices.target(target);
          if (url === undefined) throw failure('AssetMissing', 'the address of the notice is not in this store');
          if (secrets.length === 0) throw failure('NotifySecretMissing', NO_SECRET);
          const request = { url, ...signedNotice(notice, secrets, new Date()) };
          await postHook(request, { policy, signal }).catch((error: unknown) => {
            throw error instanceof HookError ? translate(error) : error;
          });
        }
      }),
    noteUndelivered: ({ reason, ...input }) =>
      withHeartbeat(async () => {
        const { state, attempts = 0 } = (await notices.result(input)) ?? {};
        // An attempt has recorded this. A second record could overwrite a delivery that a person has made meanwhile.
        if (state === 'undelivered') return;
        await notices.note(input, { state: 'undelivered', attempts, reason });
      }),
  };
}

function isFinal(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.nonRetryable === true;
}

const NO_SECRET = 'this worker has no DAILIES_NOTIFY_SECRET, and a notice is never sent unsigned';

/**
 * Records the result. An error is only logged, since a retry would post the notice again. The workflow's history has
 * the result too.
 */
async function noted(notices: Notices, input: NoticeInput, result: NoticeResult): Promise<void> {
  try {
    await notices.note(input, result);
  } catch (error) {
    Context.current().log.warn('the result of a notice cannot be recorded', { reason: String(error) });
  }
}

function translate(error: HookError): ApplicationFailure {
  const { kind, message, retryAfterMs } = error;
  if (FINAL.includes(kind)) return failure('HookRefused', message, { cause: error });
  return failure('HookFailed', message, {
    cause: error,
    ...(retryAfterMs === null || retryAfterMs < LEAST_RETRY_AFTER_MS ? {} : { nextRetryDelayMs: retryAfterMs }),
  });
}
