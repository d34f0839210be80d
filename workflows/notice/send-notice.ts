import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { noticeId, noticeWorkflowId } from '../../contracts/identifiers';
import type { Notice, NoticeSubject, NotifyTarget } from '../../contracts/notice';
import { notice } from './notice';

/** What happened, before it has an id. */
export interface Happening extends Pick<Notice, 'type' | 'data'> {
  readonly subject: NoticeSubject;
  /** Tells it from all others of its type in this run: the same words for the same event, also after a reset. */
  readonly what: readonly string[];
}

/**
 * Hands a notice over to a workflow of its own, and resolves when that has begun. Whoever ends has to wait for that, and
 * for no more. One that was handed over before is not sent again. It is handed over though the sender be cancelled.
 */
export async function sendNotice(storeId: string, { target, on }: NotifyTarget, happening: Happening): Promise<void> {
  const { type, data, subject, what } = happening;
  if (on?.includes(type) === false) return;
  const id = noticeId(storeId, type, subject, what);
  const timestamp = new Date().toISOString();
  try {
    await CancellationScope.nonCancellable(() =>
      startChild(notice, {
        workflowId: noticeWorkflowId(storeId, id),
        args: [{ notice: { id, type, timestamp, data }, subject, target }],
        staticSummary: `${type}: ${subject.id}`,
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
        workflowTaskTimeout: '5 seconds',
      }),
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
