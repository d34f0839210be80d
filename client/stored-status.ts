import { readFile } from 'node:fs/promises';
import { FrozenProduction } from '../contracts/frozen';
import { type ShotState } from '../contracts/manifest';
import { type ProductionStatus, type ShotStatus } from '../contracts/status';
import { type TakeProgress } from '../contracts/take';
import { standing, type Store, type TakeHistory } from '../store';
import { takesOf } from './manifest';
import { createProductionRecords } from './production-records';

/**
 * The status of a production as the store has it, for when Temporal does not run; undefined where it was never rendered.
 *
 * A render that was interrupted counts as running: the next `render` goes on with it.
 */
export async function storedStatus(
  store: Store,
  account: string,
  productionId: string,
): Promise<ProductionStatus | undefined> {
  const records = createProductionRecords(store);
  const [archived, begun] = await Promise.all([records.archived(productionId), records.begun(productionId)]);
  if (begun === undefined || archived?.renderId === begun.renderId) return archived;

  const frozen = await readFile(store.assets.localPath(begun.production), 'utf8');
  const { title, shots } = FrozenProduction.parse(JSON.parse(frozen));
  const takes = await takesOf(store, account, productionId);
  return {
    production: productionId,
    title,
    state: 'running',
    renderId: begun.renderId,
    frozen: begun.production,
    shots: shots.map(({ id, model }) => interruptedShot(id, model.id, takes.get(id)?.at(-1))),
    film: null,
    assembly: 'waiting',
    reason: 'interrupted; the next `render` goes on where it stopped',
    startedAt: begun.at,
    endedAt: null,
  };
}

function interruptedShot(id: string, model: string, newest: TakeHistory | undefined): ShotStatus {
  return {
    id,
    model,
    state: newest === undefined ? 'pending' : stateOf(newest),
    reason: null,
    parked: null,
    takes: newest === undefined ? [] : [progressOf(newest)],
    startedAt: newest?.intent.at ?? null,
    endedAt: newest?.settled?.at ?? null,
  };
}

/** A take without an end may have one at the gateway by now. */
function stateOf({ output, settled }: TakeHistory): ShotState {
  if (output !== undefined) return 'completed';
  return settled?.state === 'failed' ? 'failed' : 'rendering';
}

function progressOf(history: TakeHistory): TakeProgress {
  const { take, intent, settled, output } = history;
  const now = standing(history);
  return {
    take,
    takeKey: intent.takeKey,
    state:
      output !== undefined ? 'completed' : (settled?.state ?? (now.is === 'accepted' ? 'rendering' : 'submitting')),
    taskId: settled?.taskId ?? (now.is === 'accepted' ? now.taskId : null),
    credits: settled?.credits ?? null,
    asset: output?.asset ?? null,
    firstFrame: output?.firstFrame ?? null,
    lastFrame: output?.lastFrame ?? null,
    warnings: output?.warnings ?? [],
  };
}
