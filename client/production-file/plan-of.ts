import { frameLinks } from '../../contracts/frame-links';
import { type FrozenProduction, type FrozenShot } from '../../contracts/frozen';
import { DEFAULT_MAX_IN_FLIGHT, type PlannedShot, type ProductionPlan } from '../../contracts/plan';
import { shotDigest } from '../../store';
import { type CheckedProduction } from './checked-production';
import { defaultDeadline } from './default-deadline';

/** A production's file frozen, as it is written and as people have directed it. */
export interface FrozenForms {
  readonly written: FrozenProduction;
  readonly frozen: FrozenProduction;
  readonly directed: ReadonlySet<string>;
}

/** The small part of a production that its workflow carries. */
export function planOf(
  { title, shots, maxInFlight, onUnclear, budget, assembly }: CheckedProduction,
  { written, frozen, directed }: FrozenForms,
): ProductionPlan {
  const policies = new Map(shots.map((shot) => [shot.id, shot]));
  return {
    title,
    shots: written.shots.flatMap((shot, index) => {
      const policy = policies.get(shot.id);
      const asked = frozen.shots[index];
      if (policy === undefined || asked === undefined) return [];
      const { deadlineSeconds, retryFailed, takes, review, onFailure, quick } = policy;
      const mode = quick === undefined ? {} : { mode: quick ? ('execute' as const) : ('submit' as const) };
      const planned = { ...asksFor(shot), deadlineSeconds, onUnclear, retryFailed, onFailure, takes, review, ...mode };
      return [replanned({ ...planned, directed: directed.has(shot.id) }, shot, asked)];
    }),
    maxInFlight: maxInFlight ?? DEFAULT_MAX_IN_FLIGHT,
    assemble: assembly !== undefined,
    ...(budget === undefined ? {} : { budget }),
  };
}

/** The plan of a shot that asks for something else now; a deadline that was none of the file's own follows it. */
export function replanned(planned: PlannedShot, before: FrozenShot, shot: FrozenShot): PlannedShot {
  const isUsual = planned.deadlineSeconds === defaultDeadline(before.model, before.parameters);
  const deadlineSeconds = isUsual ? defaultDeadline(shot.model, shot.parameters) : planned.deadlineSeconds;
  return { ...planned, ...asksFor(shot), deadlineSeconds };
}

function asksFor(shot: FrozenShot): Pick<PlannedShot, 'id' | 'model' | 'output' | 'links' | 'digest'> {
  const { id, model } = shot;
  return { id, model: model.id, output: model.output, links: frameLinks(shot), digest: shotDigest(shot) };
}
