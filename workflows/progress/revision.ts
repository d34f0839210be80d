import { MOST_SHOTS, MOST_TAKES, type PlannedShot, type ProductionPlan } from '../../contracts/render/plan';
import { versionOf } from '../../contracts/render/render-basis';
import type { ProductionInput, Revision } from '../../contracts/workflows';

/**
 * Checks whether a running production can change to a new version, and finds the shots that must run for it.
 * Pure, so that it can be tested without a server.
 */

/** Shots that started without a budget ask for no permits, so a limit added now could not be enforced. */
export const RUNS_WITHOUT_BUDGET =
  'it is running without a budget; let it end, or cancel it, and render it again: what was paid for is kept';

/** A revision that is based on an older version would silently revert the changes made since. */
export const CHANGED_MEANWHILE = 'it was changed meanwhile; look at it, and type the command again';

/** Maximum for `earlierTakes` plus planned takes, since each take adds some ten bytes to the workflow's state. */
const MOST_EARLIER = 50_000;

/** The running production, as far as a revision is checked against it. */
export interface RunningProduction extends Pick<ProductionInput, 'productionId' | 'production' | 'basis'> {
  readonly hasBudget: boolean;
  /** Number of takes of which the workflow keeps only the number and the charge. */
  readonly earlierTakes: number;
}

/** The reason why a revision is refused; undefined if it is accepted. */
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

/** Why the plan is too large; undefined if it is not. All shots' states travel in one payload of at most 2 MiB. */
function sizeObjection({ shots }: ProductionPlan, earlierTakes: number): string | undefined {
  const takes = shots.reduce((sum, shot) => sum + shot.takes, 0);
  if (shots.length > MOST_SHOTS || takes > MOST_TAKES) {
    const found = `it would have ${shots.length} shots, with ${takes} takes in all`;
    return `${found}; a production has at most ${MOST_SHOTS} shots and ${MOST_TAKES} takes: split it into several`;
  }
  if (earlierTakes + takes <= MOST_EARLIER) return undefined;
  const found = `its render has ${earlierTakes} earlier takes, and the new version has ${takes}; at most ${MOST_EARLIER} are allowed together`;
  return `${found}; let it end, or cancel it, and render it again: what was paid for is kept`;
}

/**
 * Returns the shots of the new plan that have to run, in the film's order: new shots, shots with another `wish`, the
 * shots in `again`, and all shots that link to any of these, directly or not.
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

/** Keeps the running plan's `readyBy` instant in the new plan if the rule of `readyBy` is the same. */
export function withSameInstant(before: ProductionPlan, plan: ProductionPlan): ProductionPlan {
  const { rule, at } = before.readyBy ?? {};
  if (plan.readyBy === undefined || at === undefined) return plan;
  return JSON.stringify(rule) === JSON.stringify(plan.readyBy.rule)
    ? { ...plan, readyBy: { ...plan.readyBy, at } }
    : plan;
}

/** The fields of a planned shot that determine which take is chosen for it. */
function wish({ digest, links, takes, review }: PlannedShot): string {
  const frames = links.map(({ shot, frame }) => `${frame} ${shot}`).toSorted();
  return JSON.stringify([digest, frames, takes, review?.withinSeconds, review?.otherwise]);
}
