import { type Manifest } from '../../contracts/manifest';
import { type RenderPlan } from '../../contracts/render-plan';
import { type ProductionStatus } from '../../contracts/status';
import { type Quotes, type Store } from '../../store';
import { storedFigures } from '../status/budgets';
import { createExpectedEnd } from './expected-end';
import { inStore, manifestOf } from '../status/manifest';
import { takesOf } from '../records/takes';
import { withParkedCosts } from '../status/parked-costs';
import { planRest } from './';

/** A production's status as in `dailies status --json`. */
export interface FullStatus {
  readonly manifest: Manifest;
  /** What remains to be rendered; undefined if it has completed. */
  readonly rest: RenderPlan | undefined;
}

/** A production's status with its files in the store, its budget, the price of the rest and its expected end. */
export async function statusInFull(
  { store, account, quotes }: { readonly store: Store; readonly account: string; readonly quotes: Quotes },
  found: ProductionStatus,
): Promise<FullStatus> {
  const budget = found.budget ?? (await storedFigures(store, { account, quotes }, found.production));
  const known = budget === undefined ? found : { ...found, budget };
  const rest = found.state === 'completed' ? undefined : await planRest({ store, account, quotes }, found);
  const takes = await takesOf(store, account, found.production);
  const manifest = await withParkedCosts(await manifestOf(store, account, known, inStore(store)), takes, quotes);
  const expected = await createExpectedEnd(store, account)(found);
  const withRest = manifest.budget === null ? null : { ...manifest.budget, rest: rest?.quote ?? null };
  return { manifest: { ...manifest, budget: withRest, expected }, rest };
}
