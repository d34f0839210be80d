import { type AssetRef } from '../../contracts/asset';
import { frameLinks } from '../../contracts/file/frame-links';
import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { type NotifyTarget } from '../../contracts/notice';
import { type Notify } from '../../contracts/file/notify';
import { DEFAULT_MAX_IN_FLIGHT, type PlannedShot, type ProductionPlan } from '../../contracts/render/plan';
import { type PlannedReadyBy } from '../../contracts/render/plan';
import { shotDigest, targetName } from '../../store';
import { type CheckedProduction } from '../production-file/checked-production';
import { defaultDeadline } from '../production-file/default-deadline';

/** A frozen production in two forms: as written in its file, and with directions applied. */
export interface FrozenForms {
  readonly written: FrozenProduction;
  readonly frozen: FrozenProduction;
  readonly directed: ReadonlySet<string>;
  /** By shot id, the number of takes that a direction sets. Default: none. */
  readonly takes?: ReadonlyMap<string, number>;
  /** The asset that contains the file's `Fallback`. Absent if the file has none. */
  readonly fallback?: AssetRef | undefined;
}

/** The small part of a production that its workflow carries. */
export function planOf(
  { title, shots, maxInFlight, onUnclear, budget, notify, priority, readyBy, assembly }: CheckedProduction,
  { written, frozen, directed, takes: directedTakes = new Map(), fallback }: FrozenForms,
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
      const planned = { ...asksFor(shot), deadlineSeconds, onUnclear, retryFailed, onFailure, review, ...mode };
      const many = { takes: directedTakes.get(shot.id) ?? takes, directed: directed.has(shot.id) };
      return [replanned({ ...planned, ...many }, shot, asked)];
    }),
    maxInFlight: maxInFlight ?? DEFAULT_MAX_IN_FLIGHT,
    assemble: assembly !== undefined,
    ...(budget === undefined ? {} : { budget }),
    ...(priority === undefined ? {} : { priority }),
    ...(notify === undefined ? {} : { notify: targetOf(notify) }),
    ...(readyBy === undefined
      ? {}
      : { readyBy: { rule: readyBy, ...(fallback === undefined ? {} : { fallback }) } satisfies PlannedReadyBy }),
  };
}

/** The receiver of notices, by name. The receiver's address is only in the store. */
export function targetOf({ url, on }: Notify): NotifyTarget {
  return { target: targetName(url), ...(on === undefined ? {} : { on }) };
}

/** The plan of a shot with a changed request. A deadline that equals the default is computed again; others stay. */
export function replanned(planned: PlannedShot, before: FrozenShot, shot: FrozenShot): PlannedShot {
  const isUsual = planned.deadlineSeconds === defaultDeadline(before.model, before.parameters);
  const deadlineSeconds = isUsual ? defaultDeadline(shot.model, shot.parameters) : planned.deadlineSeconds;
  return { ...planned, ...asksFor(shot), deadlineSeconds };
}

function asksFor(shot: FrozenShot): Pick<PlannedShot, 'id' | 'model' | 'output' | 'links' | 'digest'> {
  const { id, model } = shot;
  return { id, model: model.id, output: model.output, links: frameLinks(shot), digest: shotDigest(shot) };
}
