import { MOST_SHOTS, MOST_TAKES, type PlannedShot, type ProductionPlan } from '../../contracts/plan';
import { versionOf } from '../../contracts/render-basis';
import type { ProductionInput, Revision } from '../../contracts/workflows';

/** What another version of a production means for its shots: pure, so that it is tested without a server. */

/** Its shots under way send without asking: a bound that does not hold for them would be none. */
export const RUNS_WITHOUT_BUDGET =
  'it is running without a budget; let it end, or cancel it, and render it again: what was paid for is kept';

/** What was worked out from another version would silently take that one's changes back. */
export const CHANGED_MEANWHILE = 'it was changed meanwhile; look at it, and type the command again';

/** Most takes of one render that are counted one by one: some ten bytes each of what its workflow carries. */
const MOST_EARLIER = 50_000;

/** What is asked of a revision beside the production that runs. */
export interface RunningProduction extends Pick<ProductionInput, 'productionId' | 'production' | 'basis'> {
  readonly hasBudget: boolean;
  /** How many takes it has told of that are not asked for any more. */
  readonly earlierTakes: number;
}

/** Why a revision cannot be taken; undefined where it can. */
export function objectionTo(
  { productionId, plan, again, replaces }: Revision,
  running: RunningProduction,
): string | undefined {
  if (productionId !== running.productionId) {
    return `it is of the production "${productionId}", and this is "${running.productionId}"`;
  }
  if (replaces !== undefined && replaces !== versionOf(running.production, running.basis)) return CHANGED_MEANWHILE;
  if (plan.budget !== undefined && !running.hasBudget) return RUNS_WITHOUT_BUDGET;
  if (plan.shots.length === 0) return 'it has no shots';
  const tooLarge = sizeObjection(plan, running.earlierTakes);
  if (tooLarge !== undefined) return tooLarge;
  const ids = new Set(plan.shots.map(({ id }) => id));
  const unknown = [...again, ...plan.shots.flatMap(({ links }) => links.map(({ shot }) => shot))];
  const missing = unknown.find((id) => !ids.has(id));
  return missing === undefined ? undefined : `it has no shot "${missing}"`;
}

/** All of it travels in one message, of which Temporal takes 2 MiB. */
function sizeObjection({ shots }: ProductionPlan, earlier: number): string | undefined {
  const takes = shots.reduce((sum, shot) => sum + shot.takes, 0);
  if (shots.length > MOST_SHOTS || takes > MOST_TAKES) {
    const found = `it would have ${shots.length} shots, with ${takes} takes in all`;
    return `${found}; a production has at most ${MOST_SHOTS} shots and ${MOST_TAKES} takes: part it into several`;
  }
  if (earlier + takes <= MOST_EARLIER) return undefined;
  const found = `it has made ${earlier} earlier takes in this render, of at most ${MOST_EARLIER}`;
  return `${found}; let it end, or cancel it, and render it again: what was paid for is kept`;
}

/**
 * The shots of the new plan that have to be looked at again: those that ask for something else, those that are named,
 * new ones, and all that start on their frames, in the film's order.
 */
export function renewedShots(
  before: ProductionPlan,
  { plan, again }: Pick<Revision, 'plan' | 'again'>,
): readonly string[] {
  const known = new Map(before.shots.map((shot) => [shot.id, shot]));
  const renewed = new Set(again);
  for (const shot of plan.shots) {
    const was = known.get(shot.id);
    if (was === undefined || wish(was) !== wish(shot)) renewed.add(shot.id);
  }
  for (let size = 0; size !== renewed.size;) {
    size = renewed.size;
    for (const { id, links } of plan.shots) if (links.some((link) => renewed.has(link.shot))) renewed.add(id);
  }
  return plan.shots.flatMap(({ id }) => (renewed.has(id) ? [id] : []));
}

/** The new plan by the instant that the production runs by, where it is to be ready by the same. */
export function withSameInstant(before: ProductionPlan, plan: ProductionPlan): ProductionPlan {
  const { rule, at } = before.readyBy ?? {};
  if (plan.readyBy === undefined || at === undefined) return plan;
  return JSON.stringify(rule) === JSON.stringify(plan.readyBy.rule)
    ? { ...plan, readyBy: { ...plan.readyBy, at } }
    : plan;
}

/** All of a plan's shot that has a part in which take stands for it. */
function wish({ digest, links, takes, review }: PlannedShot): string {
  const frames = links.map(({ shot, frame }) => `${frame} ${shot}`).toSorted();
  return JSON.stringify([digest, frames, takes, review?.withinSeconds, review?.otherwise]);
}
