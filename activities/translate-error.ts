import { ApplicationFailure } from '@temporalio/common';
import { GatewayError, REFUSALS, submitRefusal } from '../gateway';
import { FfmpegError, FfmpegMissingError, FilmError, NoFrameError, NotMediaError } from '../media';
import { errorCode, TakeMismatch } from '../store';
import { failure } from './fail';
import { isKeyRefused } from './account/key-notice';

/**
 * First and longest delay before a refused submit is sent again, if the gateway names none. The delay grows, since each
 * sending writes two records to the ledger.
 */
const FIRST_DOWN_DELAY_MS = 5_000;
const LONGEST_DOWN_DELAY_MS = 5 * 60_000;

/** Delay before a failed disk is used again. Some disks recover by themselves, others need a person. */
const LOOK_AT_DISK_AGAIN_MS = 10_000;

/** The failure for a submit that was definitely not accepted and may be sent again. @param n number of the sending. */
export function notAcceptedNow(error: GatewayError, n: number): ApplicationFailure {
  const delayMs = Math.min(FIRST_DOWN_DELAY_MS * 2 ** Math.min(n - 1, 20), LONGEST_DOWN_DELAY_MS);
  const { failure: type = 'GatewayDown' } = REFUSALS[submitRefusal(error)];
  return failure(type, error.message, {
    cause: error,
    nextRetryDelayMs: error.retryAfterMs ?? delayMs,
  });
}

/**
 * The failure for a read that was refused, broken or not answered. Returns other errors unchanged.
 *
 * @param delayMs computes the delay of the retry. Its argument is 0 if there is no Retry-After.
 */
export function unreadable(error: unknown, delayMs: (retryAfterMs: number) => number): unknown {
  if (!(error instanceof GatewayError)) return error;
  return failure('GatewayUnreadable', error.message, {
    cause: error,
    nextRetryDelayMs: delayMs(error.retryAfterMs ?? 0),
    isTold: isKeyRefused(error, 'reads'),
  });
}

/**
 * Runs a step on the ledger, and turns the step's errors into failures. Failures that the step throws stay unchanged.
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

/** Errors of a disk that may be usable again later, for example a full disk. */
const DISK_CODES = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'EMFILE', 'ENFILE', 'ESTALE']);

/**
 * Translates an error of a step on the store's bytes: disk errors to StoreUnavailable (retried), and TakeMismatch to
 * its failure (final). Returns other errors unchanged.
 */
export function storeTrouble(error: unknown): unknown {
  if (error instanceof TakeMismatch) return takeMismatch(error);
  if (!DISK_CODES.has(errorCode(error) ?? '')) return error;
  return failure('StoreUnavailable', `the store cannot be used: ${messageOf(error)}`, {
    cause: error,
    nextRetryDelayMs: LOOK_AT_DISK_AGAIN_MS,
  });
}

/** Disk errors in ffmpeg's output, since ffmpeg writes files itself. */
const DISK_WORDS = /No space left on device|Disk quota exceeded|Read-only file system/;

/**
 * Translates an error of a step with ffmpeg. A missing ffmpeg, or one without a needed filter, becomes FfmpegMissing
 * (final). Disk errors become StoreUnavailable (retried). Errors of media become MediaFailed (retried, since ffmpeg may
 * have been killed). Other errors are translated by `storeTrouble`.
 */
export function mediaTrouble(error: unknown): unknown {
  if (error instanceof FfmpegMissingError) return failure('FfmpegMissing', error.message, { cause: error });
  if (error instanceof FfmpegError && DISK_WORDS.test(error.stderr)) {
    return failure('StoreUnavailable', `the store cannot be written: ${error.message}`, { cause: error });
  }
  const isMedia = [FfmpegError, FilmError, NoFrameError, NotMediaError].some((kind) => error instanceof kind);
  return isMedia ? failure('MediaFailed', messageOf(error), { cause: error }) : storeTrouble(error);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
