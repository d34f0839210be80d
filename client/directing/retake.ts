import { MAX_TAKES } from '../../contracts/render/plan';
import { shotDigest } from '../../store';
import { takesOf } from '../records/takes';
import { type FlagIssue, type FileValuePolicy } from '../production-file';
import { replanned } from '../freeze/plan-of';
import { changedShot, type ShotChanges } from '../freeze/changed-shot';
import { Refused } from '../wording/refused';
import { type KnownProduction, knownShot } from './known-production';
import { changeTo, followsFrom, type Proposal, type ProposalContext, proposalVersion } from './proposal';

export interface RetakeContext extends ProposalContext {
  readonly policy: FileValuePolicy;
}

export interface Retake extends Proposal {
  /** Names of the parameters that were given, and `model` if it was given. */
  readonly changed: readonly string[];
}

/**
 * Proposes another take of a shot, with the same or other parameters.
 *
 * @returns `issues` if the parameters are wrong.
 * @throws Refused if the shot does not exist, if the shot has no take and `changes` is empty, or as `changedShot` does.
 */
export async function proposeRetake(
  context: RetakeContext,
  known: KnownProduction,
  shotId: string,
  changes: ShotChanges,
): Promise<Retake | { readonly issues: readonly FlagIssue[] }> {
  const { store, account, policy } = context;
  const { productionId, production, plan, written } = known;
  const before = knownShot(known, shotId);
  const source = await store.productions.source(productionId);
  const changed = await changedShot(production, before, changes, { policy, assets: store.assets, file: source?.path });
  if ('issues' in changed) return changed;
  const hasTake = (await takesOf(store, account, productionId)).has(shotId);
  if (!hasTake && changed.names.length === 0) {
    throw new Refused(`shot "${shotId}" of "${productionId}" has no take yet; there is nothing to take again`);
  }

  const { directing } = store;
  const variants = (await directing.directions(productionId, shotId)).map(({ shot }) => shot.variant ?? 0);
  // Raise the variant above that of any earlier take, so that equal parameters make a new take. Add MAX_TAKES, since
  // the takes of one request use up to MAX_TAKES successive variants.
  const variant = Math.max(before.variant ?? 0, ...variants) + MAX_TAKES;
  const shot = { ...changed.shot, variant };
  const version = {
    production: { ...production, shots: production.shots.map((one) => (one.id === shotId ? shot : one)) },
    plan: { ...plan, shots: plan.shots.map((one) => (one.id === shotId ? replanned(one, before, shot) : one)) },
  };
  return {
    productionId,
    changed: changed.names,
    follows: await followsFrom(context, known, version),
    again: [],
    version: proposalVersion(known.version, version),
    async change() {
      await changed.putFiles();
      const asWritten = written.shots.find(({ id }) => id === shotId) ?? before;
      const note = (): Promise<void> => directing.direct(productionId, shotId, { of: shotDigest(asWritten), shot });
      return changeTo(context, known, version, { shotId, note });
    },
  };
}
