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

/** An event to report. */
export interface Happening extends Pick<Notice, 'type' | 'data'> {
  readonly subject: NoticeSubject;
  /**
   * Texts that distinguish the event from others of its type in this render. The same event has the same texts, even
   * after a reset.
   */
  readonly what: readonly string[];
}

/**
 * Starts a notice's own workflow, unless `on` excludes the notice's type. Resolves when the workflow has started.
 * Before the sender ends, it has to await the start, but not the delivery.
 *
 * A notice whose workflow was started before is not sent again. Cancelling the sender does not stop the start.
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
