import { type ProductionStatus } from '../contracts/status';
import { type TakeProgress } from '../contracts/take';
import { createHolds, standing, type Store, type TakeHistory } from '../store';
import { currentTakes } from './current-takes';
import { heldInWords } from './interrupted';
import { stateOf, takesOf } from './manifest';
import { type Begun, createProductionRecords } from './production-records';
import { readFrozen } from './read-frozen';
import { storedShot } from './stored-shot';

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

  const asked = await takesOf(store, account, productionId);
  if (!(await store.assets.has(begun.production))) return lostStatus(productionId, begun, asked);

  const production = await readFrozen(store.assets, begun.production);
  const hold = await createHolds(store.records).held(productionId);
  const takes = currentTakes(account, production, asked);
  return {
    production: productionId,
    title: production.title,
    state: 'running',
    renderId: begun.renderId,
    frozen: begun.production,
    shots: production.shots.map(({ id, model }) => {
      const take = takes.get(id);
      const stands = storedShot(id, take, begun);
      return {
        id,
        model: model.id,
        ...stands,
        takes: take === undefined ? [] : [progressOf(take)],
        startedAt: take?.intent.at ?? null,
        endedAt: stands.parked === null ? (take?.settled?.at ?? null) : null,
      };
    }),
    film: null,
    assembly: 'waiting',
    reason: hold === undefined ? 'interrupted; the next `render` goes on where it stopped' : heldInWords(hold),
    startedAt: begun.at,
    endedAt: null,
    fromStore: true,
  };
}

/** As far as the ledger alone knows it, as in a store that was restored from a backup: those hold no assets. */
function lostStatus(
  productionId: string,
  { renderId, production, at }: Begun,
  takes: ReadonlyMap<string, readonly TakeHistory[]>,
): ProductionStatus {
  return {
    production: productionId,
    title: productionId,
    state: 'running',
    renderId,
    frozen: production,
    shots: [...takes].map(([id, own]) => ({
      id,
      model: own.at(-1)?.intent.model.id ?? '',
      state: 'pending',
      reason: 'the store does not have the file that it was rendered from; render that again',
      parked: null,
      takes: own.map(progressOf),
      startedAt: own[0]?.intent.at ?? null,
      endedAt: null,
    })),
    film: null,
    assembly: 'waiting',
    reason: 'the store does not have the file that it was rendered from; render that again',
    startedAt: at,
    endedAt: null,
    fromStore: true,
  };
}

function progressOf(history: TakeHistory): TakeProgress {
  const { take, intent, settled, output } = history;
  const now = standing(history);
  return {
    take,
    takeKey: intent.takeKey,
    state: output !== undefined ? 'completed' : stateOf(history),
    taskId: settled?.taskId ?? (now.is === 'accepted' ? now.taskId : null),
    credits: settled?.credits ?? null,
    asset: output?.asset ?? null,
    firstFrame: output?.firstFrame ?? null,
    lastFrame: output?.lastFrame ?? null,
    warnings: output?.warnings ?? [],
  };
}
