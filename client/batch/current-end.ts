import { type RowEnd } from '../../contracts/render/batch';
import { type BatchRow, type GenerationRow } from '../../contracts/render/batch-page';
import { rowProductionId } from '../../contracts/identifiers';
import {
  type Begun,
  type BegunBatch,
  chargeOf,
  isSkipped,
  currentOutput,
  readableTakes,
  ledgerState,
  type Store,
  type TakeHistory,
} from '../../store';
import { endOfProduction as outcomeOfProduction } from '../../workflows/row/row-end';
import { storedShot } from '../records/stored-shot';

/**
 * The current end of a row. A batch can end while rows are parked. Those rows continue without the batch, so the
 * recorded end of a parked row can be out of date.
 *
 * @param noted the recorded end.
 */
export async function currentEnd(
  store: Store,
  begun: BegunBatch,
  batchId: string,
  row: BatchRow,
  noted: RowEnd,
): Promise<RowEnd> {
  if (noted.state !== 'parked') return noted;
  return row.kind === 'generation'
    ? endOfTakes(store, begun, batchId, row, noted)
    : endOfProduction(store, rowProductionId(batchId, row.key), noted);
}

async function endOfTakes(
  store: Store,
  begun: BegunBatch,
  batchId: string,
  row: Pick<GenerationRow, 'key' | 'shot'>,
  noted: RowEnd,
): Promise<RowEnd> {
  const { takes, broken } = await readableTakes(store.ledger, { productionId: batchId, shotId: row.key });
  if (broken.length > 0) return noted;
  const last = takes.findLast(({ intent }) => intent.account === begun.account);
  if (last === undefined) return noted;
  if (isSkipped(last)) return { ...noted, state: 'skipped', parkedFor: null };
  const { take, settled } = last;
  const end = { take, taskId: taskOf(last), credits: chargeOf(last), parkedFor: null, at: settled?.at ?? noted.at };
  const output = currentOutput(last);
  if (output !== undefined) return { ...noted, ...end, asset: output.asset, state: 'completed', reason: null };
  const { state, reason } = storedShot(row.key, last, renderOf(begun, row, last));
  return state === 'failed' ? { ...noted, ...end, state, reason } : noted;
}

/**
 * Describes the batch's run as a render of one shot, for `storedShot`.
 *
 * The render id is the take's, not the run's. With the run's id, `storedShot` would report a failed take of an earlier
 * run as pending.
 */
function renderOf(
  { at, account, index }: BegunBatch,
  { key, shot: { deadlineSeconds, onUnclear, retryFailed, onFailure } }: Pick<GenerationRow, 'key' | 'shot'>,
  { intent }: TakeHistory,
): Begun {
  // `skip` means that the film goes on without the shot. A single task has no film, so the row fails instead.
  const rules = { onUnclear, retryFailed, onFailure: onFailure === 'park' ? onFailure : ('fail' as const) };
  const renderId = intent.renderId;
  return {
    renderId,
    account,
    production: index,
    at,
    deadlines: { [key]: deadlineSeconds },
    policies: { [key]: rules },
  };
}

function taskOf(history: TakeHistory): string | null {
  const now = ledgerState(history);
  return history.settled?.taskId ?? (now.is === 'accepted' ? now.taskId : null);
}

async function endOfProduction(store: Store, productionId: string, noted: RowEnd): Promise<RowEnd> {
  const archived = await store.productions.archived(productionId);
  if (archived === undefined || archived.endedAt === null || archived.endedAt < noted.at) return noted;
  return { ...noted, ...outcomeOfProduction(archived), at: archived.endedAt };
}
