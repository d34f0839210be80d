import { type KnownProduction, knownProduction, type Proposal, proposeChoice } from '../../client/directing';
import { type Store } from '../../store';
import { type Config } from '../../workers/config/config';
import { openOwnStore } from '../../workers/store/own-store';
import { carryOut, type CarryOutOptions, type Wording } from '../renders/carry-out';
import { readConfig } from '../process/command-config';
import { type ExitCode } from '../process/exit-codes';
import { changesInWords } from '../../client/plan/changes-in-words';
import { tell } from '../process/streams';

/** Chooses another take of a shot, and renders shots that become stale. Asks first if the rendering costs credits. */
export async function choose(
  productionId: string,
  shotId: string,
  take: number,
  options: CarryOutOptions,
): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  const known = await knownProduction(store, config.account, productionId);
  const { proposal, wording } = await proposedChoice(config, store, known, shotId, take);
  return carryOut(config, store, proposal, wording, options);
}

/** Plans the choice of another take. Prints how the shot's next take would differ from the chosen take, if at all. */
export async function proposedChoice(
  { account, prices }: Config,
  store: Store,
  known: KnownProduction,
  shotId: string,
  take: number,
): Promise<{ readonly proposal: Proposal; readonly wording: Wording }> {
  const quotes = store.account(account).quotes(prices);
  const proposal = await proposeChoice({ store, account, quotes }, known, shotId, take);
  tellWhatStays(proposal, shotId);
  const wording = {
    question: `Use take ${take} for "${shotId}"?`,
    asksAlways: false,
    done: `Noted: take ${take} is used for "${shotId}".`,
  };
  return { proposal, wording };
}

function tellWhatStays({ productionId, follows }: Proposal, shotId: string): void {
  const chosenOver = follows.shots.find(({ shot }) => shot === shotId)?.chosenOver ?? [];
  if (chosenOver.length === 0) return;
  tell(
    `The request of "${shotId}" stays as it is, so a new take of it would differ from this one: ` +
      `${changesInWords(chosenOver)}. To change the request: dailies retake ${productionId} ${shotId}`,
  );
}
