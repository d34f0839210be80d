import { type Choice } from '../../contracts/directing';
import { createDirecting, isWhole, takeOfChoice, type TakeHistory } from '../../store';
import { currentShots } from '../current-takes';
import { stateOf, takesOf } from '../manifest';
import { Refused } from '../refused';
import { type KnownProduction, knownShot } from './known-production';
import { followsFrom, type Proposal, type ProposalContext, requestOf } from './proposal';

/**
 * Another take is to stand for a shot.
 *
 * @throws Refused for a shot or take that is not there, one that cannot stand, and one that stands already.
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
  const directing = createDirecting(store.records);
  const takes = await takesOf(store, account, productionId);
  const history = await completedTake(context, shotId, take, takes.get(shotId) ?? []);
  const shot = currentShots({
    account,
    production,
    takes,
    choices: await directing.choices(productionId),
    sideBySide: new Map(plan.shots.map((planned) => [planned.id, planned.takes])),
  }).get(shotId);
  if (shot === undefined) throw new Refused(`what "${shotId}" starts on has no take yet; there is nothing to choose`);
  const isReviewed = plan.shots.some(({ id, review }) => id === shotId && review !== null);
  if (shot.take?.take === take && (shot.choice?.approved === true || !isReviewed)) {
    throw new Refused(`take ${take} stands for "${shotId}" already`);
  }
  const choice: Choice = { takeKey: history.intent.takeKey, take, by: 'person', approved: true };
  const version = { production, plan, choices: new Map([[shot.context, choice]]) };
  return {
    productionId,
    follows: await followsFrom(context, known, version),
    again: [shotId],
    async note() {
      await directing.choose({ productionId, shotId, context: shot.context }, choice);
      return requestOf(context, known, version);
    },
  };
}

async function completedTake(
  { store }: ProposalContext,
  shotId: string,
  take: number,
  takes: readonly TakeHistory[],
): Promise<TakeHistory> {
  const history = takes.find((one) => one.take === take);
  if (history === undefined) {
    const has = takes.length === 0 ? 'none' : takes.map((one) => one.take).join(', ');
    throw new Refused(`shot "${shotId}" has no take ${take}; it has ${has}`);
  }
  const wanted: Choice = { takeKey: history.intent.takeKey, take, by: 'person', approved: true };
  if (takeOfChoice(takes, wanted) === undefined) {
    const state = stateOf(history);
    const why = state === 'completed' ? 'it was given up or left out' : `it is ${state}`;
    throw new Refused(`take ${take} of "${shotId}" cannot stand for it: ${why}`);
  }
  if (history.output !== undefined && (await isWhole(store.assets, history.output))) return history;
  throw new Refused(`the clip of take ${take} of "${shotId}" is not in the store; there is nothing to choose`);
}
