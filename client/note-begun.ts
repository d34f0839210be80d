import { versionOf } from '../contracts/render-basis';
import { type ProductionStatus } from '../contracts/status';
import { type Store } from '../store';
import { type Begun, createProductionRecords } from './production-records';

/** A render as its workflow has it, or is about to. */
export type BegunRender = Pick<ProductionStatus, 'production' | 'renderId' | 'frozen' | 'basis' | 'startedAt'>;

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
  const { production: productionId, renderId, frozen, basis, startedAt } = render;
  const records = createProductionRecords(store);
  const begun = await records.begun(productionId);
  const isSameRender = begun?.renderId === renderId;
  const hasPath = path === undefined || path === begun?.path;
  if (isSameRender && hasPath && versionOf(begun.production, begun) === versionOf(frozen, basis)) return begun;
  const file = path ?? (isSameRender ? begun.path : undefined);
  const plan = await records.plan({ plan: basis?.plan });
  const shots = plan?.shots ?? [];
  await records.begin(productionId, {
    renderId,
    production: frozen,
    account,
    at: isSameRender ? begun.at : startedAt,
    ...(file === undefined ? {} : { path: file }),
    deadlines: Object.fromEntries(shots.map(({ id, deadlineSeconds }) => [id, deadlineSeconds])),
    policies: Object.fromEntries(
      shots.map(({ id, onUnclear, retryFailed, onFailure }) => [id, { onUnclear, retryFailed, onFailure }]),
    ),
    ...basis,
  });
  return begun;
}
