import { Refused } from '../../client';
import { knownRender, knownShot } from '../../client/directing';
import { openStore } from '../../store';
import { readConfig } from '../../workers/config';
import { giveAnswer } from '../answer';
import { EXIT, type ExitCode } from '../exit-codes';
import { tell } from '../streams';

/** Approves a take of a shot in review: it stands for the shot, and what starts on its frames goes on. */
export async function approve(
  productionId: string,
  shotId: string,
  { take = null }: { readonly take?: number | null },
): Promise<ExitCode> {
  const config = readConfig();
  const store = await openStore(config.storeFolder);
  const known = await knownRender(store, config.account, productionId);
  knownShot(known, shotId);
  if (!known.isOpen) throw new Refused(`production "${productionId}" is not running; there is nothing to approve`);
  let approved = 0;
  const next = await giveAnswer(config, store, productionId, async ({ client }) => {
    const shots = take === null ? (await client.status(productionId))?.shots : [];
    const stands = shots?.find(({ id }) => id === shotId)?.filmTake ?? null;
    approved = await client.approve(productionId, shotId, take ?? stands);
    return { goesOn: true };
  });
  tell(`Approved: take ${approved} stands for "${shotId}". To see how it goes on: ${next}`);
  return EXIT.completed;
}
