import { frameLinks } from '../../contracts/file/frame-links';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type Review } from '../../contracts/render/directing';
import { type PriceTable } from '../../contracts/money/price-table';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { type TakeProgress } from '../../contracts/render/take';
import { type Begun, chargeOf, hasCompleted, currentOutput, type Store, type TakeHistory, taskIdOf } from '../../store';
import { budgetWaits } from './budget-waits';
import { createBudgets } from './budgets';
import { type CurrentShot, currentShots } from '../records/current-takes';
import { stateOf, takesOf } from '../records/takes';
import { readFrozen } from '../records/read-frozen';
import { storedShot } from '../records/stored-shot';
import { takesInStore } from '../records/takes-in-store';
import { withWaitReason } from './wait-reason';

/**
 * The status of a production from the store, for when no workflow answers. Undefined if the production was never
 * rendered.
 *
 * An interrupted render counts as running: the next `render` continues it.
 *
 * @param prices for tasks without a recorded charge. The budget's reservations use these prices.
 */
export async function storedStatus(
  store: Store,
  account: string,
  productionId: string,
  prices: PriceTable,
): Promise<ProductionStatus | undefined> {
  const { productions } = store;
  const [archived, begun] = await Promise.all([productions.archived(productionId), productions.begun(productionId)]);
  if (begun === undefined || archived?.renderId === begun.renderId) return archived;

  if (!(await store.assets.has(begun.production))) {
    return lostStatus(productionId, begun, await takesOf(store, account, productionId));
  }

  const production = await readFrozen(store.assets, begun.production);
  const hold = await store.holds.inForce(productionId);
  const plan = await productions.plan(begun);
  const planned = new Map(plan?.shots.map((shot) => [shot.id, shot]));
  const input = await takesInStore(store, account, production);
  const current = currentShots(input);
  const budget = await createBudgets(store).inForce(productionId, plan?.budget);
  const quotes = store.account(account).quotes(prices);
  const waits =
    budget === undefined
      ? NO_WAITS
      : await budgetWaits(
          { store, account, quotes, takes: input.takes, wanted: wantedTakes(current) },
          productionId,
          budget,
        );
  const status: ProductionStatus = {
    production: productionId,
    title: production.title,
    state: 'running',
    renderId: begun.renderId,
    frozen: begun.production,
    shots: production.shots.map(({ id, model }) => ({
      id,
      model: model.id,
      ...shotStatus(id, current.get(id), planned.get(id)?.review ?? null, { begun, waits }),
    })),
    film: null,
    assembly: 'waiting',
    reason: null,
    startedAt: begun.at,
    endedAt: null,
  };
  const sendsNext = sendsWithoutAnswer(production, status);
  return { ...(await withWaitReason(store, status, hold, { sendsNext })), fromStore: true };
}

/** Whether the next render would send a shot: one that is pending, and that waits for no other shot. */
function sendsWithoutAnswer({ shots }: FrozenProduction, status: ProductionStatus): boolean {
  // A request that does not fit the budget holds up all later requests.
  if (status.shots.some(({ parked }) => parked?.for === 'budget')) return false;
  const states = new Map(status.shots.map(({ id, state }) => [id, state]));
  return shots.some(
    (shot) =>
      states.get(shot.id) === 'pending' && frameLinks(shot).every(({ shot: from }) => states.get(from) === 'completed'),
  );
}

/** Whether the last render of a production has ended, according to the store. */
export async function hasEnded({ productions }: Pick<Store, 'productions'>, productionId: string): Promise<boolean> {
  const { renderId } = (await productions.begun(productionId)) ?? {};
  return renderId !== undefined && (await productions.archived(productionId))?.renderId === renderId;
}

const NO_WAITS: ReadonlyMap<string, string> = new Map();

/**
 * The state of a shot, which may have several takes side by side. The shot is not parked while one of its takes is
 * running or waits to start.
 */
function shotStatus(
  id: string,
  shot: CurrentShot | undefined,
  review: Review | null,
  { begun, waits }: { readonly begun: Begun; readonly waits: typeof NO_WAITS },
): Omit<ShotStatus, 'id' | 'model'> {
  const { take, choice, siblings = [undefined] } = shot ?? {};
  const requested = (shot === undefined ? [] : takesOfShot(shot)).toSorted((a, b) => a.take - b.take);
  const states = siblings.map((sibling) => waitsForBudget(sibling, waits) ?? storedShot(id, sibling, begun));
  const underWay = states.filter(({ state }) => state === 'rendering' || (state === 'pending' && requested.length > 0));
  const atGateway = requested.filter((one) => stateOf(one) === 'rendering');
  const completed = take !== undefined && hasCompleted(take) ? storedShot(id, take, begun) : undefined;
  const shown = completed ?? underWay[0] ?? states.find(({ parked }) => parked !== null) ?? states[0];
  const { state = 'pending', reason = null, parked = null } = shown ?? {};
  const isInReview = state === 'completed' && review !== null && choice?.approved !== true;
  const endedAt = take?.settled?.at ?? null;
  return {
    state: isInReview ? 'review' : state,
    reason,
    parked: parked && { ...parked, ...namedTakes(states, siblings, requested) },
    review: isInReview ? { since: endedAt ?? begun.at, takesUnderWay: atGateway.length } : null,
    filmTake: state === 'completed' ? (take?.take ?? null) : null,
    takes: requested.map(progressOf),
    startedAt: requested[0]?.intent.at ?? null,
    endedAt: parked === null && !isInReview ? endedAt : null,
  };
}

/**
 * Lists the parked takes only if a person's answer must name one of them. A single parked take needs no name if it is
 * the newest take.
 */
function namedTakes(
  states: readonly Pick<ShotStatus, 'parked'>[],
  siblings: readonly (TakeHistory | undefined)[],
  requested: readonly TakeHistory[],
): Pick<NonNullable<ShotStatus['parked']>, 'takes'> {
  const takes = states.flatMap(({ parked }, index) => {
    const take = siblings[index]?.take;
    return parked === null || take === undefined ? [] : [{ take, for: parked.for }];
  });
  return takes.length === 1 && takes[0]?.take === requested.at(-1)?.take ? {} : { takes };
}

function wantedTakes(current: ReadonlyMap<string, CurrentShot>): ReadonlyMap<string, readonly TakeHistory[]> {
  return new Map([...current].map(([id, shot]) => [id, takesOfShot(shot)]));
}

/** The takes that answer the shot's current request. */
function takesOfShot({ siblings, take }: CurrentShot): readonly TakeHistory[] {
  return [...new Set([...siblings, take])].filter((one) => one !== undefined);
}

function waitsForBudget(
  take: TakeHistory | undefined,
  waits: typeof NO_WAITS,
): Pick<ShotStatus, 'state' | 'reason' | 'parked'> | undefined {
  const reason = waits.get(take?.intent.takeKey ?? '');
  if (take === undefined || reason === undefined) return undefined;
  return { state: 'parked', reason, parked: { for: 'budget', since: take.intent.at } };
}

/** The status from the ledger alone. Backups hold no assets, so a restored store lacks the frozen production. */
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
      reason: 'the store does not have the production of this render; render its file again',
      parked: null,
      review: null,
      filmTake: null,
      takes: own.map(progressOf),
      startedAt: own[0]?.intent.at ?? null,
      endedAt: null,
    })),
    film: null,
    assembly: 'waiting',
    reason: 'the store does not have the production of this render; render its file again',
    startedAt: at,
    endedAt: null,
    fromStore: true,
  };
}

function progressOf(history: TakeHistory): TakeProgress {
  const { take, intent } = history;
  const output = currentOutput(history);
  return {
    take,
    takeKey: intent.takeKey,
    state: output !== undefined ? 'completed' : stateOf(history),
    taskId: taskIdOf(history),
    credits: chargeOf(history),
    asset: output?.asset ?? null,
    firstFrame: output?.firstFrame ?? null,
    lastFrame: output?.lastFrame ?? null,
    warnings: output?.warnings ?? [],
  };
}
