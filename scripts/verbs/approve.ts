import { againCommand, quoted, Refused, storedStatus } from '../../client';
import { checkApproval, knownRender, knownShot } from '../../client/directing';
import { completedTakes } from '../../contracts/commands';
import { type Store } from '../../store';
import { type Config } from '../../workers/config/config';
import { openOwnStore } from '../../workers/store/own-store';
import { giveAnswer } from '../renders/answer';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { statusIfUp } from '../session/status-if-up';
import { tell } from '../process/streams';

/** Approves a take of a shot in review. Shots that use the take's output then continue. */
export async function approve(
  productionId: string,
  shotId: string,
  { take }: { readonly take?: number },
): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  const known = await knownRender(store, config.account, productionId);
  knownShot(known, shotId);
  if (!known.isOpen) throw await notRunning(config, store, productionId, shotId);
  checkApproval(productionId, { shotId, take }, await statusIfUp(config, store, productionId));
  let approved = 0;
  const next = await giveAnswer(config, store, productionId, async (dailies) => {
    approved = await dailies.approve(productionId, shotId, take);
    return { goesOn: true };
  });
  tell(`Approved: take ${approved} is used for "${shotId}". ${next}`);
  return EXIT.completed;
}

/** The refusal for an ended render: no shot is in review any more. The message names the commands that still work. */
async function notRunning(
  { account, prices }: Config,
  store: Store,
  productionId: string,
  shotId: string,
): Promise<Refused> {
  const status = await storedStatus(store, account, productionId, prices);
  const shot = status?.shots.find(({ id }) => id === shotId);
  const stands = shot?.state === 'completed' ? shot.filmTake : null;
  const takes = shot === undefined ? [] : completedTakes(shot).filter((take) => take !== stands);
  const ways = [
    ...(takes.length === 0
      ? []
      : [`\`dailies choose ${productionId} ${shotId} ${takes.join('|')}\` chooses another take`]),
    `${quoted(await againCommand(store, { what: 'production', id: productionId }))} renders what is missing`,
  ];
  return new Refused(`production "${productionId}" is not running; there is nothing to approve. ${ways.join('; ')}`);
}
