import { versionOf } from '../contracts/render-basis';
import { type Begun, type BegunRender, begunOf, type Store } from '../store';
import { createProductionRecords } from './production-records';

/**
 * Notes what a render is of and by what rules it goes, unless the store has just that.
 *
 * @param path of the file that it is rendered from, null if a program gave it. Default: as noted for this render.
 * @returns what was noted before.
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

/** The origin of a render as records keep it: from a path, or copied from another record. */
function originOf(from: string | null | Origin): Origin {
  if (from === null) return { given: true };
  if (typeof from === 'string') return { path: from };
  return { ...(from.path === undefined ? {} : { path: from.path }), ...(from.given === true ? { given: true } : {}) };
}
