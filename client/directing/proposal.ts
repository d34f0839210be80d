import { type Choice } from '../../contracts/directing';
import { type FrozenProduction } from '../../contracts/frozen';
import { type ProductionPlan } from '../../contracts/plan';
import { type RenderPlan } from '../../contracts/render-plan';
import { type Quotes, type Store } from '../../store';
import { type Change } from '../renders';
import { planRender } from '../plan';
import { type KnownProduction } from './known-production';

/** A change that a person is about to decide on, and its consequences. Nothing has happened yet. */
export interface Proposal {
  readonly productionId: string;
  /** What would be rendered. */
  readonly follows: RenderPlan;
  /** Shots that are run again although their request has not changed. */
  readonly again: readonly string[];
  /** Puts what the change needs into the store. It has no effect until it is recorded. */
  change(): Promise<Change>;
}

export interface ProposalContext {
  readonly store: Store;
  readonly account: string;
  readonly quotes: Quotes;
}

export interface Version {
  readonly production: FrozenProduction;
  readonly plan: ProductionPlan;
  /** The shots whose direction no longer applies and that follow the file again. */
  readonly lapsed?: readonly string[];
  /** The shots that a deadline has directed. */
  readonly byDeadline?: ReadonlySet<string>;
  /** New choices of this version, by context. */
  readonly choices?: ReadonlyMap<string, Choice>;
}

/** What would be rendered if the version replaced the running one, or was rendered. */
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
    // An unattended render has no reviews.
    shots: flags.unattended ? plan.shots.map((shot) => ({ ...shot, review: null })) : plan.shots,
    budget: plan.budget,
    written,
    lapsed,
    byDeadline,
    choices,
    revises: isOpen,
  });
}

/** Puts a version into the store, with one shot marked as directed. */
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
