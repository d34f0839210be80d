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

/** The parts of `dailies status --json`. */
export interface FullStatus {
  readonly manifest: Manifest;
  /** The plan of the rest; undefined if the production has completed or its frozen production is lost. */
  readonly rest: RenderPlan | undefined;
}

/** A production's status with its files in the store, its budget, the price of the rest and its expected end. */
export async function statusInFull(
  { store, account, quotes }: { readonly store: Store; readonly account: string; readonly quotes: Quotes },
  status: ProductionStatus,
): Promise<FullStatus> {
  const budget = status.budget ?? (await storedFigures(store, { account, quotes }, status.production));
  const withBudget = budget === undefined ? status : { ...status, budget };
  const rest = status.state === 'completed' ? undefined : await planRest({ store, account, quotes }, status);
  const takes = await takesOf(store, account, status.production);
  const manifest = await withParkedCosts(await manifestOf(store, account, withBudget, inStore(store)), takes, quotes);
  const expected = await createExpectedEnd(store, account)(status);
  const withRest = manifest.budget === null ? null : { ...manifest.budget, rest: rest?.quote ?? null };
  return { manifest: { ...manifest, budget: withRest, expected }, rest };
}
