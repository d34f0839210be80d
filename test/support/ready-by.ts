import { type FrozenProduction } from '../../contracts/render/frozen';
import { type ProductionPlan } from '../../contracts/render/plan';
import { type Fallback } from '../../contracts/render/plan';
import { shotDigest, type FolderStore } from '../../store';
import { planOf } from './rig';

/** A plan for a production that must be ready in `seconds`. Its fallback has clips of 4 s, in one take. */
export async function wantedIn(
  seconds: number,
  production: FrozenProduction,
  store: FolderStore,
  plan: Partial<ProductionPlan> = {},
): Promise<Partial<ProductionPlan>> {
  const planned = planOf(production, plan);
  const fallback: Fallback = {
    version: 1,
    shots: production.shots.map((shot, index) => {
      const lowered = { ...shot, parameters: { ...shot.parameters, duration: 4 } };
      return { shot: lowered, planned: { ...planned.shots[index]!, digest: shotDigest(lowered), takes: 1 } };
    }),
  };
  const at = new Date(Date.now() + seconds * 1_000).toISOString();
  const rule = { kind: 'instant', instant: at } as const;
  return { ...plan, readyBy: { rule, at, fallback: await store.putJson(fallback) } };
}
