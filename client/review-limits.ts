import { type ManifestShot } from '../contracts/manifest';
import { type ProductionStatus } from '../contracts/status';
import { type Store } from '../store';
import { createProductionRecords } from './production-records';

/** When a shot in review is decided about by itself, and how; nulls where it waits for a person for ever. */
export type ReviewLimit = Pick<NonNullable<ManifestShot['review']>, 'until' | 'otherwise'>;

export const NO_LIMIT: ReviewLimit = { until: null, otherwise: null };

/** The limits of the shots that are in review, by shot, as the plan has them by which the production runs. */
export async function reviewLimits(
  store: Pick<Store, 'records' | 'assets'>,
  { production, shots, basis }: ProductionStatus,
): Promise<ReadonlyMap<string, ReviewLimit>> {
  const inReview = shots.flatMap(({ id, review }) => (review === null ? [] : [[id, review.since] as const]));
  if (inReview.length === 0) return new Map();
  const records = createProductionRecords(store);
  const begun = basis ?? (await records.begun(production));
  const plan = begun === undefined ? undefined : await records.plan(begun);
  const rules = new Map(plan?.shots.map(({ id, review }) => [id, review]));
  return new Map(
    inReview.map(([id, since]): [string, ReviewLimit] => {
      const { withinSeconds = null, otherwise = null } = rules.get(id) ?? {};
      if (withinSeconds === null) return [id, NO_LIMIT];
      return [id, { until: new Date(Date.parse(since) + withinSeconds * 1_000).toISOString(), otherwise }];
    }),
  );
}
