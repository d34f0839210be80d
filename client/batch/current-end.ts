import { type BatchRow, type GenerationRow, type RowEnd } from '../../contracts/batch';
import { rowProductionId } from '../../contracts/identifiers';
import {
  type BegunBatch,
  chargeOf,
  isSkipped,
  leftBy,
  readableTakes,
  standing,
  type Store,
  type TakeHistory,
} from '../../store';
import { type Begun, createProductionRecords } from '../production-records';
import { storedShot } from '../stored-shot';

/**
 * What was noted of a row, or what has come of it since where it was parked: a batch ends while rows wait for people,
 * and those go on without it.
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
  const { takes, broken } = await readableTakes(store, { productionId: batchId, shotId: row.key });
  if (broken.length > 0) return noted;
  const last = takes.findLast(({ intent }) => intent.account === begun.account);
  if (last === undefined) return noted;
  if (isSkipped(last)) return { ...noted, state: 'skipped', parkedFor: null };
  const { take, settled } = last;
  const end = { take, taskId: taskOf(last), credits: chargeOf(last), parkedFor: null, at: settled?.at ?? noted.at };
  const output = leftBy(last);
  if (output !== undefined) return { ...noted, ...end, asset: output.asset, state: 'completed', reason: null };
  const { state, reason } = storedShot(row.key, last, renderOf(begun, row, last));
  return state === 'failed' ? { ...noted, ...end, state, reason } : noted;
}

/** The run as the render of one shot. A failure of an earlier run is one still: nobody has tried again since it was parked. */
function renderOf(
  { at, account, index }: BegunBatch,
  { key, shot: { deadlineSeconds, onUnclear, retryFailed, onFailure } }: Pick<GenerationRow, 'key' | 'shot'>,
  { intent }: TakeHistory,
): Begun {
  // A single task that is not to wait fails, whatever the file calls that.
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
  const now = standing(history);
  return history.settled?.taskId ?? (now.is === 'accepted' ? now.taskId : null);
}

async function endOfProduction(store: Store, productionId: string, noted: RowEnd): Promise<RowEnd> {
  const archived = await createProductionRecords(store).archived(productionId);
  if (archived === undefined || archived.endedAt === null || archived.endedAt < noted.at) return noted;
  const state = archived.state === 'completed' || archived.state === 'cancelled' ? archived.state : 'failed';
  return { ...noted, state, reason: archived.reason, parkedFor: null, asset: archived.film, at: archived.endedAt };
}
