import { type Client, WorkflowIdConflictPolicy, WorkflowNotFoundError } from '@temporalio/client';
import { type ArbiterLine } from '../../contracts/gateway/arbiter';
import { arbiterWorkflowId } from '../../contracts/identifiers';
import { workflowQueue } from '../../contracts/task-queues';
import { WORKFLOWS } from '../../contracts/workflow-signatures';
import { accountHash, type Store } from '../../store';
import { askLeaseSignal, leaseEndedSignal } from '../../workflows/messages';
import { signalWithStart, startOptionsFor } from './start-workflow';

export interface ArbiterLineOptions {
  readonly temporal: Client;
  readonly store: Pick<Store, 'id'>;
  readonly account: string;
}

/** Signals the arbiter, the workflow that grants an account's submits. Temporal's client retries failed calls. */
export function createArbiterLine({ temporal, store, account }: ArbiterLineOptions): ArbiterLine {
  const taskQueue = workflowQueue({ account: accountHash(account), storeId: store.id });
  const workflowId = arbiterWorkflowId(taskQueue);
  return {
    arbiter: workflowId,
    async ask(ask) {
      await signalWithStart(temporal, WORKFLOWS.arbiter, {
        ...startOptionsFor(taskQueue),
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        workflowId,
        args: [null],
        signal: askLeaseSignal,
        signalArgs: [ask],
        staticSummary: `grants the submits of ${account}`,
      });
    },
    async tell(news) {
      try {
        await temporal.workflow.getHandle(workflowId).signal(leaseEndedSignal, news);
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    },
  };
}
