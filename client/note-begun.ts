import { versionOf } from '../contracts/render-basis';
import { type ProductionStatus } from '../contracts/status';
import { type Store } from '../store';
import { createProductionRecords } from './production-records';

/** A render as its workflow has it, or is about to. */
export type BegunRender = Pick<ProductionStatus, 'production' | 'renderId' | 'frozen' | 'basis' | 'startedAt'>;

/** Notes what a render is of and by what rules it goes, unless the store has just that. */
export async function noteBegun(store: Store, account: string, render: BegunRender): Promise<void> {
  const { production: productionId, renderId, frozen, basis, startedAt } = render;
  const records = createProductionRecords(store);
  const begun = await records.begun(productionId);
  const isSameRender = begun?.renderId === renderId;
  if (isSameRender && versionOf(begun.production, begun) === versionOf(frozen, basis)) return;
  const plan = await records.plan({ plan: basis?.plan });
  const shots = plan?.shots ?? [];
  await records.begin(productionId, {
    renderId,
    production: frozen,
    account,
    at: isSameRender ? begun.at : startedAt,
    deadlines: Object.fromEntries(shots.map(({ id, deadlineSeconds }) => [id, deadlineSeconds])),
    policies: Object.fromEntries(
      shots.map(({ id, onUnclear, retryFailed, onFailure }) => [id, { onUnclear, retryFailed, onFailure }]),
    ),
    ...basis,
  });
}
