import { type Manifest } from '../../contracts/manifest';
import { type RenderPlan } from '../../contracts/render/render-plan';
import { type ProductionStatus } from '../../contracts/status';
import { type Quotes, type Store } from '../../store';
import { storedFigures } from '../status/budgets';
import { createExpectedEnd } from './expected-end';
import { inStore, manifestOf } from '../status/manifest';
import { takesOf } from '../records/takes';
import { withParkedCosts } from '../status/parked-costs';
import { planRest } from './';

/** What `dailies status` shows. `--json` prints only the manifest. */
export interface FullStatus {
  readonly manifest: Manifest;
  /** As `restOf` returns it. */
  readonly rest: RenderPlan | undefined;
}

interface Sources {
  readonly store: Store;
  readonly account: string;
  readonly quotes: Quotes;
}

/**
 * A production's status, with its files in the store, its budget, its expected end, and the price of what is still to be
 * rendered.
 */
export async function statusInFull(sources: Sources, status: ProductionStatus): Promise<FullStatus> {
  const manifest = await manifestInFull(sources, status);
  const rest = await restOf(sources, status);
  return { manifest: withRest(manifest, rest), rest };
}

function withRest(manifest: Manifest, rest: RenderPlan | undefined): Manifest {
  if (manifest.budget === null) return manifest;
  return { ...manifest, budget: { ...manifest.budget, rest: rest?.quote ?? null } };
}

/** The plan of what is still to be rendered; undefined if the production has completed or its frozen form is lost. */
export async function restOf(sources: Sources, status: ProductionStatus): Promise<RenderPlan | undefined> {
  return status.state === 'completed' ? undefined : planRest(sources, status);
}

/** The manifest of `statusInFull`, but with null as the price of what is still to be rendered. */
export async function manifestInFull({ store, account, quotes }: Sources, status: ProductionStatus): Promise<Manifest> {
  const budget = status.budget ?? (await storedFigures(store, { account, quotes }, status.production));
  const withBudget = budget === undefined ? status : { ...status, budget };
  const takes = await takesOf(store, account, status.production);
  const manifest = await withParkedCosts(await manifestOf(store, account, withBudget, inStore(store)), takes, quotes);
  return { ...manifest, expected: await createExpectedEnd(store, account)(status) };
}
