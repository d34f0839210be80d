import { type ProductionStatus } from '../contracts/status';
import { type TakeProgress } from '../contracts/take';
import { createHolds, standing, type Store, type TakeHistory } from '../store';
import { currentTakes } from './current-takes';
import { heldInWords } from './interrupted';
import { stateOf, takesOf } from './manifest';
import { createProductionRecords } from './production-records';
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

  const production = await readFrozen(store.assets, begun.production);
  const hold = await createHolds(store.records).held(productionId);
  const takes = currentTakes(account, production, await takesOf(store, account, productionId));
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
