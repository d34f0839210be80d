import { type ManifestShot } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';
import { type Store } from '../../store';

/** Time and kind of the automatic decision about a shot in review. Both are null if the shot waits without limit. */
export type ReviewLimit = Pick<NonNullable<ManifestShot['review']>, 'until' | 'otherwise'>;

export const NO_LIMIT: ReviewLimit = { until: null, otherwise: null };

/** The limits of the shots in review, by shot, from the plan of the running render. */
export async function reviewLimits(
  store: Pick<Store, 'productions'>,
  { production, shots, basis }: ProductionStatus,
): Promise<ReadonlyMap<string, ReviewLimit>> {
  const inReview = shots.flatMap(({ id, review }) => (review === null ? [] : [[id, review.since] as const]));
  if (inReview.length === 0) return new Map();
  const { productions } = store;
  const begun = basis ?? (await productions.begun(production));
  const plan = begun === undefined ? undefined : await productions.plan(begun);
  const rules = new Map(plan?.shots.map(({ id, review }) => [id, review]));
  return new Map(
    inReview.map(([id, since]): [string, ReviewLimit] => {
      const { withinSeconds = null, otherwise = null } = rules.get(id) ?? {};
      if (withinSeconds === null) return [id, NO_LIMIT];
      return [id, { until: new Date(Date.parse(since) + withinSeconds * 1_000).toISOString(), otherwise }];
    }),
  );
}
