import { type ManifestExpected } from '../../contracts/manifest';
import { type ProductionPlan } from '../../contracts/render/plan';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { type Store } from '../../store';
import { type OpenShot, timeToGo, type TimeToGo } from './time-to-go';

type UsualTimes = ReturnType<Store['account']>['usualTimes'];

/** Estimates the end of a running production; null if there is no estimate. */
export type ExpectedEnd = (status: ProductionStatus) => Promise<ManifestExpected | null>;

/** The shots that continue without a person's decision. */
export interface UnattendedWork {
  readonly shots: readonly OpenShot[];
  /** True if the production will wait for a person before it can complete. */
  readonly waitsThen: boolean;
}

/** Creates a function to be called repeatedly: it caches plans, and the times at which tasks were accepted. */
export function createExpectedEnd(store: Store, account: string): ExpectedEnd {
  const { productions } = store;
  const { usualTimes, limits } = store.account(account);
  const acceptedAt = new Map<string, number>();
  const plans = new Map<string, ProductionPlan>();

  async function planOf({ basis }: ProductionStatus): Promise<ProductionPlan | undefined> {
    if (basis?.plan === undefined) return undefined;
    const plan = plans.get(basis.plan.sha256) ?? (await productions.plan(basis));
    if (plan !== undefined) plans.set(basis.plan.sha256, plan);
    return plan;
  }
  async function lookUpAccepted({ production, shots }: ProductionStatus): Promise<void> {
    for (const { id: shotId, takes } of shots) {
      for (const { take, takeKey, state } of takes) {
        if (state !== 'rendering' || acceptedAt.has(takeKey)) continue;
        const { sendings = [] } = (await store.ledger.take({ productionId: production, shotId, take })) ?? {};
        const at = sendings.findLast(({ accepted }) => accepted !== undefined)?.accepted?.at;
        if (at !== undefined) acceptedAt.set(takeKey, Date.parse(at));
      }
    }
  }

  return async (status) => {
    // A status from the store does not show which tasks are running.
    if (status.state !== 'running' || status.fromStore === true) return null;
    if (status.paused !== undefined || status.held === true) return null;
    const plan = await planOf(status);
    if (plan === undefined) return null;
    // A record may be damaged: then the limits or the age of a task are not known.
    const known = await Promise.all([limits.read(), lookUpAccepted(status)]).catch(() => undefined);
    if (known === undefined) return null;
    const [inForce] = known;
    const nowMs = Date.now();
    const { shots, waitsThen } = unattendedWork(status, plan, (takeKey) => {
      const at = acceptedAt.get(takeKey);
      return at === undefined ? null : Math.max(0, nowMs - at);
    });
    const models = [...new Set(shots.map(({ model }) => model))];
    const recentMs = await recentTimes(usualTimes, models);
    const remaining = timeToGo({ shots, maxInFlight: plan.maxInFlight, limits: inForce, recentMs });
    if (remaining === null) return null;
    return expectedAfter(remaining, { nowMs, waitsThen });
  };
}

/** Converts a remaining time to instants, in ISO 8601. */
export function expectedAfter(
  { lowMs, medianMs, highMs }: TimeToGo,
  { nowMs, waitsThen }: { readonly nowMs: number; readonly waitsThen: boolean },
): ManifestExpected {
  const [at, earliest, latest] = [medianMs, lowMs, highMs].map((ms) => new Date(nowMs + ms).toISOString()) as [
    string,
    string,
    string,
  ];
  return { at, earliest, latest, waitsThen };
}

/** The durations of the models' recent tasks, in milliseconds. Empty for a model without enough tasks. */
export async function recentTimes(
  usualTimes: UsualTimes,
  models: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const usual = await Promise.all(models.map(async (model) => [model, await usualTimes.forModel(model)] as const));
  return new Map(usual.map(([model, time]) => [model, (time?.seen ?? []).map(({ byMs }) => byMs)]));
}

/**
 * Finds the shots whose tasks run or will run without a person's decision. Leaves out shots that depend on a shot that
 * waits for a person.
 *
 * @param ageMs the age of a task by its take key; null if the task is not known to be accepted.
 */
export function unattendedWork(
  { shots, basis }: Pick<ProductionStatus, 'shots' | 'basis'>,
  plan: Pick<ProductionPlan, 'shots'>,
  ageMs: (takeKey: string) => number | null,
): UnattendedWork {
  const planned = new Map(plan.shots.map((shot) => [shot.id, shot]));
  const statuses = new Map(shots.map((shot) => [shot.id, shot]));
  const waiting = new Map<string, boolean>();
  /** True if a person must act before shots that link to the given shot can start. */
  const waitsForPerson = (id: string): boolean => {
    const cached = waiting.get(id);
    if (cached !== undefined) return cached;
    // A precaution: this entry ends the recursion if links form a cycle. Checked plans have none.
    waiting.set(id, false);
    const shot = statuses.get(id);
    const isReviewed = planned.get(id)?.review != null && basis?.unattended !== true;
    const isOpen = shot !== undefined && isUnfinished(shot) && shot.filmTake === null;
    const waitsHere = shot !== undefined && (WAITING_STATES.has(shot.state) || (isOpen && isReviewed));
    const waitsBefore = isOpen && (planned.get(id)?.links ?? []).some((link) => waitsForPerson(link.shot));
    waiting.set(id, waitsHere || waitsBefore);
    return waitsHere || waitsBefore;
  };
  const linksOf = (id: string): readonly string[] => (planned.get(id)?.links ?? []).map((link) => link.shot);
  const open = shots.filter((shot) => isUnfinished(shot) && !linksOf(shot.id).some(waitsForPerson));
  const ids = new Set(open.flatMap(({ id, filmTake }) => (filmTake === null ? [id] : [])));
  return {
    shots: open.map((shot) => ({
      id: shot.id,
      model: shot.model,
      after: linksOf(shot.id).filter((from) => ids.has(from)),
      tasks: tasksOf(shot, planned.get(shot.id)?.takes ?? 1, ageMs),
    })),
    waitsThen: shots.some(({ id }) => waitsForPerson(id)),
  };
}

const WAITING_STATES: ReadonlySet<ShotStatus['state']> = new Set(['parked', 'review']);

function isUnfinished({ state, review }: ShotStatus): boolean {
  return state === 'pending' || state === 'rendering' || (review !== null && review.takesUnderWay > 0);
}

/** The ages of the tasks that have not ended. Null for a task that is not known to be accepted. */
function tasksOf(
  { state, takes, review }: ShotStatus,
  sideBySide: number,
  ageMs: (takeKey: string) => number | null,
): OpenShot['tasks'] {
  const underWay = takes.filter((take) => take.state === 'rendering' || take.state === 'submitting');
  const ended = takes.filter((take) => take.state === 'completed').length;
  const count = review?.takesUnderWay ?? (state === 'pending' ? sideBySide : Math.max(1, sideBySide - ended));
  const ages = underWay.map(({ takeKey }) => ageMs(takeKey));
  return Array.from({ length: Math.max(1, count) }, (_, index) => ages[index] ?? null);
}
