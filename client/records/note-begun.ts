import { versionOf } from '../../contracts/render-basis';
import { type Begun, type BegunRender, begunOf, type Store } from '../../store';
import { createProductionRecords } from './production-records';

/**
 * Records a render's production and rules, unless the store already has the same.
 *
 * @param path of the production file; null if a program gave the production. Default: as recorded for this render.
 * @returns the record before.
 */
export async function noteBegun(
  store: Store,
  account: string,
  render: BegunRender,
  path?: string | null,
): Promise<Begun | undefined> {
  const { production: productionId, renderId, frozen, basis } = render;
  const records = createProductionRecords(store);
  const begun = await records.begun(productionId);
  const isSameRender = begun?.renderId === renderId;
  const hasPath = path === undefined || (path === null ? begun?.given === true : path === begun?.path);
  if (isSameRender && hasPath && versionOf(begun.production, begun) === versionOf(frozen, basis)) return begun;
  const origin = path === undefined ? (isSameRender ? originOf(begun) : {}) : originOf(path);
  const plan = await records.plan({ plan: basis?.plan });
  const now = begunOf(render, account, plan?.shots ?? []);
  await records.begin(productionId, {
    ...now,
    ...(isSameRender ? { at: begun.at } : {}),
    ...origin,
  });
  return begun;
}

type Origin = Pick<Begun, 'path' | 'given'>;

/** The origin of a render as in records, from a path or another record. */
function originOf(from: string | null | Origin): Origin {
  if (from === null) return { given: true };
  if (typeof from === 'string') return { path: from };
  return { ...(from.path === undefined ? {} : { path: from.path }), ...(from.given === true ? { given: true } : {}) };
}
