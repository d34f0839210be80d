import { type ManifestExpected } from '../../contracts/manifest';
import { type ProductionPlan } from '../../contracts/plan';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { createAccountLimits, createUsualTimes, type Store } from '../../store';
import { createProductionRecords } from '../records/production-records';
import { type OpenShot, timeToGo } from './time-to-go';

/** Estimates when a running production ends; null if that is not possible. */
export type ExpectedEnd = (status: ProductionStatus) => Promise<ManifestExpected | null>;

/** The shots that continue without a person's decision. */
export interface GoingOn {
  readonly shots: readonly OpenShot[];
  /** Whether a person must decide something before the production can complete. */
  readonly waitsThen: boolean;
}

/** @returns a function that can be called repeatedly; it caches when tasks were accepted. */
export function createExpectedEnd(store: Store, account: string): ExpectedEnd {
  const records = createProductionRecords(store);
  const usualTimes = createUsualTimes(store.records, account);
  const limits = createAccountLimits(store.records, account);
  const acceptedAt = new Map<string, number>();
  const plans = new Map<string, ProductionPlan>();

  async function planOf({ basis }: ProductionStatus): Promise<ProductionPlan | undefined> {
    if (basis?.plan === undefined) return undefined;
    const known = plans.get(basis.plan.sha256) ?? (await records.plan(basis));
    if (known !== undefined) plans.set(basis.plan.sha256, known);
    return known;
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
    // The store alone does not know what is running.
    if (status.state !== 'running' || status.fromStore === true || status.paused !== undefined) return null;
    const plan = await planOf(status);
    if (plan === undefined) return null;
    await lookUpAccepted(status);
    const nowMs = Date.now();
    const { shots, waitsThen } = goingOn(status, plan, (takeKey) => {
      const at = acceptedAt.get(takeKey);
      return at === undefined ? null : Math.max(0, nowMs - at);
    });
    const models = [...new Set(shots.map(({ model }) => model))];
    const usual = await Promise.all(models.map(async (model) => [model, await usualTimes.of(model)] as const));
    const took = new Map(usual.map(([model, time]) => [model, (time?.seen ?? []).map(({ byMs }) => byMs)]));
    const left = timeToGo({ shots, maxInFlight: plan.maxInFlight, limits: await limits.read(), took });
    if (left === null) return null;
    const instant = (ms: number): string => new Date(nowMs + ms).toISOString();
    return { at: instant(left.medianMs), earliest: instant(left.lowMs), latest: instant(left.highMs), waitsThen };
  };
}

/**
 * The shots that are rendering or will be, without those that wait for a person or depend on one that does.
 *
 * @param ageMs the age of a task by its take key; null if the task is not known to be accepted.
 */
export function goingOn(
  { shots, basis }: Pick<ProductionStatus, 'shots' | 'basis'>,
  plan: Pick<ProductionPlan, 'shots'>,
  ageMs: (takeKey: string) => number | null,
): GoingOn {
  const planned = new Map(plan.shots.map((shot) => [shot.id, shot]));
  const known = new Map(shots.map((shot) => [shot.id, shot]));
  const stopped = new Map<string, boolean>();
  /** Whether shots that start on this one must wait for a person first. */
  const stops = (id: string): boolean => {
    const found = stopped.get(id);
    if (found !== undefined) return found;
    // A default while the shot is evaluated. Links have no cycles.
    stopped.set(id, false);
    const shot = known.get(id);
    const isReviewed = planned.get(id)?.review != null && basis?.unattended !== true;
    const isOpen = shot !== undefined && isUnderWay(shot) && shot.filmTake === null;
    const stopsHere = shot !== undefined && (WAITS.has(shot.state) || (isOpen && isReviewed));
    const stopsBefore = isOpen && (planned.get(id)?.links ?? []).some((link) => stops(link.shot));
    stopped.set(id, stopsHere || stopsBefore);
    return stopsHere || stopsBefore;
  };
  const linksOf = (id: string): readonly string[] => (planned.get(id)?.links ?? []).map((link) => link.shot);
  const open = shots.filter((shot) => isUnderWay(shot) && !linksOf(shot.id).some(stops));
  const ids = new Set(open.flatMap(({ id, filmTake }) => (filmTake === null ? [id] : [])));
  return {
    shots: open.map((shot) => ({
      id: shot.id,
      model: shot.model,
      after: linksOf(shot.id).filter((from) => ids.has(from)),
      tasks: tasksOf(shot, planned.get(shot.id)?.takes ?? 1, ageMs),
    })),
    waitsThen: shots.some(({ id }) => stops(id)),
  };
}

const WAITS: ReadonlySet<ShotStatus['state']> = new Set(['parked', 'review']);

function isUnderWay({ state, review }: ShotStatus): boolean {
  return state === 'pending' || state === 'rendering' || (review !== null && review.takesUnderWay > 0);
}

/** The age of each task that has not ended, including tasks that the shot has not reported yet. */
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
