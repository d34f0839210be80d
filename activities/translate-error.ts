import { ApplicationFailure } from '@temporalio/common';
import { GatewayError } from '../gateway';
import { FfmpegError, FilmError, NoFrameError, NotMediaError } from '../media';
import { errorCode, TakeMismatch } from '../store';
import { type FailureType } from '../contracts/failures';
import { failure } from './fail';
import { isKeyRefused } from './key-notice';
import { submitRefusal, type SubmitRefusal } from './submit-refusal';

/** First and longest wait between two sends while the gateway is down; each is two records in the ledger. */
const FIRST_DOWN_DELAY_MS = 5_000;
const LONGEST_DOWN_DELAY_MS = 5 * 60_000;

/** A disk that does not serve is looked at again after this long: some mend themselves, some are mended by people. */
const LOOK_AT_DISK_AGAIN_MS = 10_000;

/** A submit that surely was not accepted, for the nth time, and may be sent again. */
export function notAcceptedNow(error: GatewayError, n: number): ApplicationFailure {
  const delayMs = Math.min(FIRST_DOWN_DELAY_MS * 2 ** Math.min(n - 1, 20), LONGEST_DOWN_DELAY_MS);
  return failure(refusalType(submitRefusal(error)), error.message, {
    cause: error,
    nextRetryDelayMs: error.retryAfterMs ?? delayMs,
  });
}

function refusalType(refusal: SubmitRefusal): FailureType {
  if (refusal === 'throttled') return 'GatewayThrottled';
  return refusal === 'key' ? 'KeyRefused' : 'GatewayDown';
}

/** A read that was refused, broken or not answered; reads are repeated, after a time that may follow Retry-After. */
export function unreadable(error: unknown, delayMs: (retryAfterMs: number) => number): unknown {
  if (!(error instanceof GatewayError)) return error;
  return failure('GatewayUnreadable', error.message, {
    cause: error,
    nextRetryDelayMs: delayMs(error.retryAfterMs ?? 0),
    isTold: isKeyRefused(error, 'reads'),
  });
}

/**
 * Runs a step on the ledger; where the ledger does not serve, nothing is sent and the activity is retried.
 *
 * @throws LedgerUnavailable (retried), TakeMismatch (final).
 */
export async function whileLedgerServes<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof ApplicationFailure) throw error;
    if (error instanceof TakeMismatch) throw takeMismatch(error);
    throw failure('LedgerUnavailable', `the ledger cannot be used: ${messageOf(error)}`, {
      cause: error,
      nextRetryDelayMs: LOOK_AT_DISK_AGAIN_MS,
    });
  }
}

function takeMismatch(error: TakeMismatch): ApplicationFailure {
  return failure('TakeMismatch', error.message, { cause: error });
}

/** What a disk says when it cannot take bytes now and may later, as when it is full or comes back. */
const DISK_CODES = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'EMFILE', 'ENFILE', 'ESTALE']);

/** A step on the store's bytes: a full disk or a read-only folder is worth waiting for. */
export function storeTrouble(error: unknown): unknown {
  if (error instanceof TakeMismatch) return takeMismatch(error);
  if (!DISK_CODES.has(errorCode(error) ?? '')) return error;
  return failure('StoreUnavailable', `the store cannot be written: ${messageOf(error)}`, {
    cause: error,
    nextRetryDelayMs: LOOK_AT_DISK_AGAIN_MS,
  });
}

/** The same from ffmpeg, which writes by itself. */
const DISK_WORDS = /No space left on device|Disk quota exceeded|Read-only file system/;

/** A step with ffmpeg: it may have been killed, so it is tried again some times. */
export function mediaTrouble(error: unknown): unknown {
  if (error instanceof FfmpegError && DISK_WORDS.test(error.stderr)) {
    return failure('StoreUnavailable', `the store cannot be written: ${error.message}`, { cause: error });
  }
  const isMedia = [FfmpegError, FilmError, NoFrameError, NotMediaError].some((kind) => error instanceof kind);
  return isMedia ? failure('MediaFailed', messageOf(error), { cause: error }) : storeTrouble(error);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
