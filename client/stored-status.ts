import { type Review } from '../contracts/directing';
import { type ProductionStatus, type ShotStatus } from '../contracts/status';
import { type TakeProgress } from '../contracts/take';
import { createDirecting, createHolds, hasCompleted, standing, type Store, type TakeHistory } from '../store';
import { type CurrentShot, currentShots } from './current-takes';
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

  const production = await readFrozen(store.assets, begun.production);
  const hold = await createHolds(store.records).held(productionId);
  const plan = await records.plan(begun);
  const planned = new Map(plan?.shots.map((shot) => [shot.id, shot]));
  const current = currentShots({
    account,
    production,
    takes: await takesOf(store, account, productionId),
    choices: await createDirecting(store.records).choices(productionId),
    sideBySide: new Map(plan?.shots.map((shot) => [shot.id, shot.takes])),
  });
  return {
    production: productionId,
    title: production.title,
    state: 'running',
    renderId: begun.renderId,
    frozen: begun.production,
    shots: production.shots.map(({ id, model }) => ({
      id,
      model: model.id,
      ...shotStatus(id, current.get(id), planned.get(id)?.review ?? null, begun),
    })),
    film: null,
    assembly: 'waiting',
    reason: hold === undefined ? 'interrupted; the next `render` goes on where it stopped' : heldInWords(hold),
    startedAt: begun.at,
    endedAt: null,
    fromStore: true,
  };
}

/** A shot by its takes side by side: one that is under way or still to come may yet spare a person the decision. */
function shotStatus(
  id: string,
  shot: CurrentShot | undefined,
  review: Review | null,
  begun: Begun,
): Omit<ShotStatus, 'id' | 'model'> {
  const { take, choice, siblings = [undefined] } = shot ?? {};
  const known = [...new Set([...siblings, take])]
    .filter((one) => one !== undefined)
    .toSorted((a, b) => a.take - b.take);
  const stood = siblings.map((sibling) => storedShot(id, sibling, begun));
  const underWay = stood.filter(({ state }) => state === 'rendering' || (state === 'pending' && known.length > 0));
  const completed = take !== undefined && hasCompleted(take) ? storedShot(id, take, begun) : undefined;
  const stands = completed ?? underWay[0] ?? stood.find(({ parked }) => parked !== null) ?? stood[0];
  const { state = 'pending', reason = null, parked = null } = stands ?? {};
  const isInReview = state === 'completed' && review !== null && choice?.approved !== true;
  const endedAt = take?.settled?.at ?? null;
  return {
    state: isInReview ? 'review' : state,
    reason,
    parked,
    review: isInReview ? { since: endedAt ?? begun.at, takesUnderWay: underWay.length } : null,
    filmTake: state === 'completed' ? (take?.take ?? null) : null,
    takes: known.map(progressOf),
    startedAt: known[0]?.intent.at ?? null,
    endedAt: parked === null && !isInReview ? endedAt : null,
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
