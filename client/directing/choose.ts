import { takesInWords } from '../../contracts/commands';
import { type Choice } from '../../contracts/render/directing';
import {
  isOutputStored,
  currentOutput,
  lostInWords,
  ledgerState,
  type TakeAddress,
  type TakeHistory,
  takeOfChoice,
} from '../../store';
import { currentShots } from '../records/current-takes';
import { stateOf } from '../records/takes';
import { Refused } from '../wording/refused';
import { takesInStore } from '../records/takes-in-store';
import { type KnownProduction, knownShot } from './known-production';
import { changeTo, followsFrom, type Proposal, type ProposalContext, proposalVersion } from './proposal';

/**
 * Proposes to choose a take for a shot.
 *
 * @throws Refused if the shot or take does not exist, if the take cannot be chosen or is chosen already, or if the shot
 *   links to a shot without a take.
 */
export async function proposeChoice(
  context: ProposalContext,
  known: KnownProduction,
  shotId: string,
  take: number,
): Promise<Proposal> {
  const { store, account } = context;
  const { productionId, production, plan } = known;
  knownShot(known, shotId);
  const inStore = await takesInStore(store, account, production);
  const history = await completedTake(context, { shotId, take }, inStore.takes.get(shotId) ?? []);
  const shot = currentShots(inStore).get(shotId);
  if (shot === undefined)
    throw new Refused(`"${shotId}" links to a shot that has no take yet; there is nothing to choose`);
  const isReviewed = plan.shots.some(({ id, review }) => id === shotId && review !== null);
  if (shot.take?.take === take && (shot.choice?.approved === true || !isReviewed)) {
    throw new Refused(`take ${take} is chosen for "${shotId}" already`);
  }
  const choice: Choice = { takeKey: history.intent.takeKey, take, by: 'person', approved: true };
  const version = { production, plan, choices: new Map([[shot.context, choice]]) };
  return {
    productionId,
    follows: await followsFrom(context, known, version),
    again: [shotId],
    version: proposalVersion(known.version, version),
    change: () =>
      changeTo(context, known, version, {
        shotId,
        note: () => store.directing.choose({ productionId, shotId, context: shot.context }, choice),
      }),
  };
}

async function completedTake(
  { store }: ProposalContext,
  { shotId, take }: Omit<TakeAddress, 'productionId'>,
  takes: readonly TakeHistory[],
): Promise<TakeHistory> {
  const history = takes.find((one) => one.take === take);
  if (history === undefined) {
    const has = takesInWords(takes.map((one) => one.take));
    throw new Refused(`shot "${shotId}" has no take ${take}; it has ${has}`);
  }
  const wanted: Choice = { takeKey: history.intent.takeKey, take, by: 'person', approved: true };
  if (takeOfChoice(takes, wanted) === undefined) {
    const state = stateOf(history);
    const why = state === 'completed' ? 'it was given up or left out' : `it is ${state}`;
    throw new Refused(`take ${take} of "${shotId}" cannot be chosen: ${why}`);
  }
  const left = currentOutput(history);
  if (left !== undefined && (await isOutputStored(store.assets, left))) return history;
  // The next render collects a missing output of a task again. It cannot collect a person's clip or a reused one.
  if (ledgerState(history).is === 'settled') return history;
  throw new Refused(`take ${take} of "${shotId}" cannot be chosen: ${lostInWords(history)}`);
}
