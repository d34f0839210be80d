import { versionOf } from '../contracts/render-basis';
import { type Begun, type BegunRender, begunOf, type Store } from '../store';
import { createProductionRecords } from './production-records';

/**
 * Notes what a render is of and by what rules it goes, unless the store has just that.
 *
 * @param path of the file that it is rendered from. Default: as noted for this render.
 * @returns what was noted before.
 */
export async function noteBegun(
  store: Store,
  account: string,
  render: BegunRender,
  path?: string,
): Promise<Begun | undefined> {
  const { production: productionId, renderId, frozen, basis } = render;
  const records = createProductionRecords(store);
  const begun = await records.begun(productionId);
  const isSameRender = begun?.renderId === renderId;
  const hasPath = path === undefined || path === begun?.path;
  if (isSameRender && hasPath && versionOf(begun.production, begun) === versionOf(frozen, basis)) return begun;
  const file = path ?? (isSameRender ? begun.path : undefined);
  const plan = await records.plan({ plan: basis?.plan });
  const now = begunOf(render, account, plan?.shots ?? []);
  await records.begin(productionId, {
    ...now,
    ...(isSameRender ? { at: begun.at } : {}),
    ...(file === undefined ? {} : { path: file }),
  });
  return begun;
}
