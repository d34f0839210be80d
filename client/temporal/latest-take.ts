import { type Client, NamespaceNotFoundError, WorkflowIdConflictPolicy } from '@temporalio/client';
import { z } from 'zod';
import { latestTakeWorkflowId } from '../../contracts/identifiers';
import { LATEST_TAKE_MEMO, type LatestTake, type LatestTakeLine } from '../../contracts/gateway/latest-take';
import { workflowQueue } from '../../contracts/task-queues';
import { WORKFLOWS } from '../../contracts/workflow-signatures';
import { accountHash, lacksTake, type Store, StoreError } from '../../store';
import { noteLatestTakeSignal } from '../../workflows/messages';
import { ifFound } from './live-status';
import { signalWithStart, startOptionsFor } from './start-workflow';

/** The memo entry of the `latestTake` workflow: a `LatestTake`. */
const Memo = z.looseObject({ productionId: z.string(), shotId: z.string(), takeKey: z.string(), at: z.string() });

export interface LatestTakeOptions {
  readonly temporal: Client;
  readonly store: Pick<Store, 'id' | 'name' | 'ledger' | 'restores'>;
  readonly account: string;
}

/** Reads and records the `LatestTake` of an account and store. Source: docs/decisions/0041-latest-take.md. */
export function createLatestTakeLine({
  temporal,
  store,
  account,
}: Pick<LatestTakeOptions, 'temporal' | 'account'> & { readonly store: Pick<Store, 'id'> }): LatestTakeLine {
  const taskQueue = workflowQueue({ account: accountHash(account), storeId: store.id });
  const workflowId = latestTakeWorkflowId(taskQueue);
  return {
    async read() {
      const described = await ifFound(temporal.workflow.getHandle(workflowId).describe()).catch((error: unknown) => {
        if (!(error instanceof NamespaceNotFoundError)) throw error;
        return undefined;
      });
      return Memo.safeParse(described?.memo?.[LATEST_TAKE_MEMO]).data;
    },
    async note(take) {
      await signalWithStart(temporal, WORKFLOWS.latestTake, {
        ...startOptionsFor(taskQueue),
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        workflowId,
        args: [take],
        memo: { [LATEST_TAKE_MEMO]: take },
        signal: noteLatestTakeSignal,
        signalArgs: [take],
        staticSummary: `the take that ${account} last sent`,
      });
    },
  };
}

/** A message if the ledger lacks the latest take (see `lacksTake`); otherwise undefined. */
export async function staleInWords({ store, ...options }: LatestTakeOptions): Promise<string | undefined> {
  const latest = await createLatestTakeLine({ store, ...options }).read();
  if (latest === undefined || !(await lacksTake(store, latest))) return undefined;
  return lackInWords(store.name, latest);
}

/** @throws StoreError if the ledger lacks the latest take (see `lacksTake`). */
export async function refuseStale(options: LatestTakeOptions): Promise<void> {
  const message = await staleInWords(options);
  if (message !== undefined) throw new StoreError(message);
}

export function lackInWords(folder: string, { productionId, shotId, at }: LatestTake): string {
  return (
    `The ledger in ${folder} lacks a take of ${productionId}/${shotId} that was sent on ${at}: it is an older copy, or has ` +
    'lost records, and would pay again for what it lacks. If the newer store exists, work there. If this is the only one ' +
    'left, type: dailies store --moved. If this is to be a store of its own, type: dailies store --adopt-copy'
  );
}
