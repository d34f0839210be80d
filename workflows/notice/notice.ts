import { ActivityFailure, CancellationScope, patched } from '@temporalio/workflow';
import type { NoticeInput, NoticeOutcome } from '../../contracts/notice';
import { isTimeout, reasonOf } from '../temporal/activity-failures';
import { lastNoticeTry, noticeActivities, noticeNotes } from '../temporal/activity-options';

/**
 * Delivers one notice. Retries for a day, and after a timeout makes a few last attempts.
 *
 * A notice has its own workflow, so that nothing else waits for an unreachable receiver, and so that no two workflows
 * deliver the same notice at once. A failed delivery is an outcome of the workflow, not an error.
 */
export async function notice(input: NoticeInput): Promise<NoticeOutcome> {
  const { type, id } = input.notice;
  try {
    await deliver(input, `${type} ${id}`);
    return { state: 'delivered' };
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const reason = reasonOf(error);
    await CancellationScope.nonCancellable(() => note(input, reason));
    return { state: 'undelivered', reason };
  }
}

/** A timeout may mean that no worker ran. So after a timeout, the next worker tries a few more times. */
async function deliver(input: NoticeInput, summary: string): Promise<void> {
  try {
    await noticeActivities(summary).deliverNotice(input);
  } catch (error) {
    if (!isTimeout(error) || !patched('last-notice-try')) throw error;
    await lastNoticeTry(summary).deliverNotice(input);
  }
}

async function note(input: NoticeInput, reason: string): Promise<void> {
  try {
    await noticeNotes().noteUndelivered({ ...input, reason });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
  }
}
