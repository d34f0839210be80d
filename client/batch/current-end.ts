import { type BatchRow, type RowEnd } from '../../contracts/batch';
import { rowProductionId } from '../../contracts/identifiers';
import { chargeOf, isSkipped, leftBy, standing, type Store, type TakeHistory } from '../../store';
import { createProductionRecords } from '../production-records';

/**
 * What was noted of a row, or what has come of it since where it was parked: a batch ends while rows wait for people,
 * and those go on without it.
 */
export async function currentEnd(
  store: Store,
  account: string,
  batchId: string,
  row: Pick<BatchRow, 'key' | 'kind'>,
  noted: RowEnd,
): Promise<RowEnd> {
  if (noted.state !== 'parked') return noted;
  return row.kind === 'generation'
    ? endOfTakes(store, account, batchId, noted)
    : endOfProduction(store, rowProductionId(batchId, row.key), noted);
}

async function endOfTakes(store: Store, account: string, batchId: string, noted: RowEnd): Promise<RowEnd> {
  const takes = await store.ledger.takes(batchId, noted.key);
  const last = takes.findLast(({ intent }) => intent.account === account);
  if (last === undefined) return noted;
  if (isSkipped(last)) return { ...noted, state: 'skipped', parkedFor: null };
  const output = leftBy(last);
  if (output === undefined) return noted;
  const { take, settled } = last;
  const end = { take, taskId: taskOf(last), credits: chargeOf(last), asset: output.asset };
  return { ...noted, ...end, state: 'completed', reason: null, parkedFor: null, at: settled?.at ?? noted.at };
}

function taskOf(history: TakeHistory): string | null {
  const now = standing(history);
  return history.settled?.taskId ?? (now.is === 'accepted' ? now.taskId : null);
}

async function endOfProduction(store: Store, productionId: string, noted: RowEnd): Promise<RowEnd> {
  const archived = await createProductionRecords(store).archived(productionId);
  if (archived === undefined || archived.endedAt === null || archived.endedAt < noted.at) return noted;
  const state = archived.state === 'completed' || archived.state === 'cancelled' ? archived.state : 'failed';
  return { ...noted, state, reason: archived.reason, parkedFor: null, asset: archived.film, at: archived.endedAt };
}
