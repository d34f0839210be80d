import { createHash } from 'node:crypto';
import { type Choice } from '../../contracts/render/directing';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type ProductionPlan } from '../../contracts/render/plan';
import { type RenderPlan } from '../../contracts/render/render-plan';
import { canonicalJson, type Quotes, type Store } from '../../store';
import { type Change } from '../renders';
import { planRender } from '../plan';
import { type KnownProduction } from './known-production';

/** A change for a person to decide on, with its consequences. Nothing has been changed yet. */
export interface Proposal {
  readonly productionId: string;
  /** The plan of the render that follows from the change. */
  readonly follows: RenderPlan;
  /** Shots to run again although their request has not changed. */
  readonly again: readonly string[];
  /** Identifies the change. Equal for changes that start from the same version and lead to the same version. */
  readonly version: string;
  /** Puts the new version and its files into the store. They have no effect until the change is carried out. */
  change(): Promise<Change>;
}

export interface ProposalContext {
  readonly store: Store;
  readonly account: string;
  readonly quotes: Quotes;
}

/** The version that a change leads to. */
export interface Version {
  readonly production: FrozenProduction;
  readonly plan: ProductionPlan;
  /** The shots whose direction (recorded change) no longer fits the file. They follow the file again. */
  readonly lapsed?: readonly string[];
  /** The shots that use the file's fallback, to be ready by `readyBy`. */
  readonly byDeadline?: ReadonlySet<string>;
  /** New choices of this version, by `ChoiceAddress.context`. */
  readonly choices?: ReadonlyMap<string, Choice>;
}

/** @param replaces the version that the change starts from. */
export function proposalVersion(replaces: string, { production, plan, choices }: Version): string {
  const after = { replaces, production, plan, ...(choices === undefined ? {} : { choices: [...choices] }) };
  return createHash('sha256').update(canonicalJson(after)).digest('hex');
}

/** Plans the render of a version: a revision if a render is open, otherwise a new render. */
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

/** Stores a version. In the plan of the returned change, the shot `shotId` is marked as directed. */
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
