import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import { TakeMismatch } from '../../store';
import { failure } from '../fail';

/** How long recording an answer is retried. A full disk may be cleared meanwhile. */
const NOTE_FOR_MS = 60_000;
const NOTE_EVERY_MS = 1_000;

/**
 * Retries until the outcome of a request is recorded: without the record, the take would become unclear even after a
 * definite answer.
 *
 * @throws LedgerUnavailable after a minute, or at once if the ledger disagrees about the take or its task. The
 *   failure's message contains the outcome, including the task id if there is one.
 */
export async function untilNoted<T>(words: string, step: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + NOTE_FOR_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      return await step();
    } catch (error) {
      const trouble = `the ledger cannot record ${words}`;
      if (tries === 1) log.error(trouble, { reason: String(error) });
      if (Date.now() > giveUpAt || error instanceof TakeMismatch)
        throw failure('LedgerUnavailable', trouble, { cause: error });
      await sleep(NOTE_EVERY_MS);
    }
  }
}
