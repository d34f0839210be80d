import { type BegunBatch, type Store } from '../../store';
import { Refused } from '../wording/refused';
import { rowStandings } from './batch-report';

/**
 * Checks that no row of the last run is parked for another account. A parked row's workflow runs for the account that
 * began the row, and no other account can continue that workflow.
 *
 * @throws Refused if another account paid for the last run and a row of that run is parked.
 */
export async function checkPayer(store: Store, account: string, batchId: string): Promise<void> {
  const begun = await store.batches.begun(batchId);
  if (begun === undefined || begun.account === account) return;
  for await (const { row, state } of rowStandings(store, begun, batchId, undefined)) {
    if (state !== 'parked') continue;
    throw new Refused(
      `row "${row.key}" of batch "${batchId}" still waits for a decision by the account ${begun.account}, and this is ` +
        `${account}; decide with that account, or give this batch another name with --id`,
    );
  }
}

/** @throws Refused if another account paid for the last run: its rows belong to that account. */
export function checkOwnRun(batchId: string, { account: payer, given }: BegunBatch, account: string): void {
  if (payer === account) return;
  const first =
    given === true
      ? 'let the program that gave the batch render it for this account first'
      : 'render its file for this account first: dailies batch FILE';
  throw new Refused(`batch "${batchId}" was last rendered for the account ${payer}, and this is ${account}; ${first}`);
}
