import { type DailiesClient } from '../dailies-client';
import { NO_WORKER } from '../pollers';
import { Refused } from '../refused';
import { type Proposal } from './proposal';

export interface CarryingOut {
  readonly client: Pick<DailiesClient, 'direct'>;
  readonly hasWorker: () => Promise<boolean>;
}

/**
 * Does what was proposed: a running production follows it, an ended one is rendered again.
 *
 * @throws Refused as `DailiesClient.direct`, and where only a worker could say whether what is under way takes it.
 */
export async function carryOutProposal(
  { client, hasWorker }: CarryingOut,
  proposal: Proposal,
): Promise<{ readonly revised: boolean }> {
  if (proposal.follows.underWay && !(await hasWorker())) throw new Refused(`nothing has changed. ${NO_WORKER}`);
  return client.direct(await proposal.change(), proposal.again);
}
