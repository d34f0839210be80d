import { createBatches, type Store } from '../../store';
import { Refused } from '../refused';
import { rowStandings } from './batch-report';

/**
 * A row that waits for people has a workflow of the account that began it, which no other one may take for its own.
 *
 * @throws Refused where rows of another account's run still wait.
 */
export async function checkPayer(store: Store, account: string, batchId: string): Promise<void> {
  const begun = await createBatches(store.records).begun(batchId);
  if (begun === undefined || begun.account === account) return;
  for await (const { key, state } of rowStandings(store, begun, batchId, undefined)) {
    if (state !== 'parked') continue;
    throw new Refused(
      `row "${key}" of batch "${batchId}" still waits for a decision by the account ${begun.account}, and this is ` +
        `${account}; decide on it there, or give this batch another name with --id`,
    );
  }
}

/** @throws Refused where the run was another account's: its failures are none of this one. */
export function checkOwnRun(batchId: string, payer: string, account: string): void {
  if (payer === account) return;
  throw new Refused(
    `batch "${batchId}" was last rendered for the account ${payer}, and this is ${account}; ` +
      'render its file for this account first: dailies batch FILE',
  );
}
