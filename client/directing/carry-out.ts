import { type DailiesClient } from '../dailies/dailies-client';
import { NO_WORKER } from '../temporal/pollers';
import { Refused } from '../wording/refused';
import { type Proposal } from './proposal';

export interface CarryingOut {
  readonly client: Pick<DailiesClient, 'direct'>;
  readonly hasWorker: () => Promise<boolean>;
}

/**
 * Carries out a proposal: a running production is revised, an ended one is rendered again.
 *
 * @throws Refused as `DailiesClient.direct` does, or if the production is running and no worker serves it.
 */
export async function carryOutProposal(
  { client, hasWorker }: CarryingOut,
  proposal: Proposal,
): Promise<{ readonly revised: boolean }> {
  if (proposal.follows.underWay && !(await hasWorker())) throw new Refused(`nothing has changed. ${NO_WORKER}`);
  return client.direct(await proposal.change(), proposal.again);
}
