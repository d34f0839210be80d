import { type Choice } from '../../contracts/directing';
import { type FrozenProduction } from '../../contracts/frozen';
import { type ProductionPlan } from '../../contracts/plan';
import { type RenderPlan } from '../../contracts/render-plan';
import { createDirecting, type Quotes, type Store } from '../../store';
import { type RenderRequest } from '../renders';
import { planRender } from '../plan';
import { type KnownProduction } from './known-production';

/** What a person is about to decide, and what would follow from it. Nothing has happened yet. */
export interface Proposal {
  readonly productionId: string;
  /** What is to be rendered by it. */
  readonly follows: RenderPlan;
  /** The shots that are to be looked at again although nothing in them has changed. */
  readonly again: readonly string[];
  /** Notes it: whatever renders the production from now on follows it. */
  note(): Promise<RenderRequest>;
}

/** What a proposal is worked out from. */
export interface ProposalContext {
  readonly store: Store;
  readonly account: string;
  readonly quotes: Quotes;
}

/** Another version of a known production. */
export interface Version {
  readonly production: FrozenProduction;
  readonly plan: ProductionPlan;
  /** Made by it, by context. */
  readonly choices?: ReadonlyMap<string, Choice>;
}

/** What would follow from the version: it takes the place of the one under way, or is rendered. */
export function followsFrom(
  { store, account, quotes }: ProposalContext,
  { written, isOpen }: Pick<KnownProduction, 'written' | 'isOpen'>,
  { production, plan, choices = new Map() }: Version,
): Promise<RenderPlan> {
  return planRender({
    store,
    account,
    quotes,
    production,
    shots: plan.shots,
    budget: plan.budget,
    written,
    choices,
    revises: isOpen,
  });
}

/** Puts a version into the store, and notes of which of its shots there are choices and directions by now. */
export async function requestOf(
  { store }: ProposalContext,
  { productionId, written }: Pick<KnownProduction, 'productionId' | 'written'>,
  { production, plan }: Version,
): Promise<RenderRequest> {
  const directing = createDirecting(store.records);
  const shots = await Promise.all(
    plan.shots.map(async (shot) => ({ ...shot, directed: await directing.isDirected(productionId, shot.id) })),
  );
  return {
    productionId,
    production: await store.putJson(production),
    plan: { ...plan, shots },
    written: await store.putJson(written),
  };
}
