import { type Choice } from '../../contracts/directing';
import { type FrozenProduction } from '../../contracts/frozen';
import { type ProductionPlan } from '../../contracts/plan';
import { type RenderPlan } from '../../contracts/render-plan';
import { type Quotes, type Store } from '../../store';
import { type Change } from '../renders';
import { planRender } from '../plan';
import { type KnownProduction } from './known-production';

/** What a person is about to decide, and what would follow from it. Nothing has happened yet. */
export interface Proposal {
  readonly productionId: string;
  /** What is to be rendered by it. */
  readonly follows: RenderPlan;
  /** The shots that are to be looked at again although nothing in them has changed. */
  readonly again: readonly string[];
  /** Puts what it needs into the store. Nothing goes by it before it is noted. */
  change(): Promise<Change>;
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
  /** The shots that were directed, and that it has rendered by the file again. */
  readonly lapsed?: readonly string[];
  /** The shots that a deadline has directed. */
  readonly byDeadline?: ReadonlySet<string>;
  /** Made by it, by context. */
  readonly choices?: ReadonlyMap<string, Choice>;
}

/** What would follow from the version: it takes the place of the one under way, or is rendered. */
export function followsFrom(
  { store, account, quotes }: ProposalContext,
  { written, isOpen, flags }: Pick<KnownProduction, 'written' | 'isOpen' | 'flags'>,
  { production, plan, lapsed = [], byDeadline = new Set(), choices = new Map() }: Version,
): Promise<RenderPlan> {
  return planRender({
    store,
    account,
    quotes,
    production,
    // Nobody is asked to review while nobody attends.
    shots: flags.unattended ? plan.shots.map((shot) => ({ ...shot, review: null })) : plan.shots,
    budget: plan.budget,
    written,
    lapsed,
    byDeadline,
    choices,
    revises: isOpen,
  });
}

/** Puts a version into the store, of whose shots one is decided about now. */
export async function changeTo(
  { store }: ProposalContext,
  { productionId, written, version: replaces }: KnownProduction,
  { production, plan }: Version,
  { shotId, note }: { readonly shotId: string; readonly note: () => Promise<void> },
): Promise<Change> {
  return {
    productionId,
    production: await store.putJson(production),
    plan: { ...plan, shots: plan.shots.map((shot) => (shot.id === shotId ? { ...shot, directed: true } : shot)) },
    written: await store.putJson(written),
    replaces,
    note,
  };
}
