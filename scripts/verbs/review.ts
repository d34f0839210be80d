import { knownProduction } from '../../client/directing';
import { Refused } from '../../client/wording/refused';
import { choiceWays, reviewCommand } from '../../contracts/commands';
import { type Store } from '../../store';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { canAsk } from '../process/confirm';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { goingOnInWords } from '../renders/going-on';
import { reviewingOf } from '../review/decide';
import { review, type Reviewed } from '../review/review-loop';
import { type ReviewedProduction, readReviewed, tellParked } from '../review/reviewed-production';
import { type WaitingShot, waitingShots } from '../review/waiting-shots';
import { openSession, tellOfSandbox } from '../session/session';
import { tell } from '../process/streams';

/** Shows, one by one, the shots whose takes wait for a person, and asks about each. Parked shots are only listed. */
export async function reviewProduction(
  productionId: string,
  { json = false }: { readonly json?: boolean },
): Promise<ExitCode> {
  if (json) {
    throw new Refused(
      `a review asks a person, and prints no JSON; \`dailies status ${productionId} --json\` lists what waits`,
    );
  }
  const config = readConfig();
  const store = await openOwnStore(config);
  await knownProduction(store, config.account, productionId);
  const before = await readReviewed(config, store, productionId);
  const waiting = waitingShots(before.status, before.manifest);
  if (!canAsk()) throw noTerminal(before, waiting);
  if (waiting.length === 0) {
    tell(`Nothing of "${productionId}" waits for a review.`);
    await tellParked(config, store, before);
    return EXIT.completed;
  }
  tellOfSandbox(config);
  const session = await openSession(config, store);
  let reviewed: Reviewed;
  let isServed: boolean;
  try {
    reviewed = await review(reviewingOf(session, productionId));
    await tellParked(config, store, await readReviewed(config, store, productionId, session));
  } finally {
    isServed = !(await session.close()).stopped;
  }
  await tellEnd(store, productionId, reviewed, isServed);
  return reviewed.isLeft ? EXIT.incomplete : EXIT.completed;
}

async function tellEnd(
  store: Store,
  productionId: string,
  { approved, rejected, isLeft }: Reviewed,
  isServed: boolean,
): Promise<void> {
  const counts = [`${approved.length} approved`, `${rejected.length} to be taken again`];
  tell(['', `Reviewed: ${counts.join(', ')}.`]);
  if (approved.length + rejected.length > 0)
    tell(await goingOnInWords(store, productionId, { goesOn: true, isServed }));
  if (isLeft) tell(`The others wait, at no cost: \`dailies review ${productionId}\` shows them again.`);
}

/** The refusal if there is no terminal. Its message names the commands to type instead. */
function noTerminal({ status }: ReviewedProduction, waiting: readonly WaitingShot[]): Refused {
  const { production } = status;
  const shots = new Map(status.shots.map((shot) => [shot.id, shot]));
  const commands = waiting.flatMap(({ id, for: waitsFor, takes }) => {
    const shot = shots.get(id);
    if (shot === undefined) return [];
    return waitsFor === 'approval'
      ? [reviewCommand(production, shot)]
      : choiceWays(production, id, takes).map(({ command }) => command);
  });
  const instead =
    commands.length === 0
      ? `nothing of "${production}" waits for a review; \`dailies status ${production}\` shows its state`
      : `type one of these commands instead (\`dailies status ${production}\` explains them):\n${commands.join('\n')}`;
  return new Refused(`there is no terminal to review on; ${instead}`);
}
