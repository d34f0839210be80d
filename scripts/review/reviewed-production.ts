import { type Store } from '../../store';
import { inStore, manifestOf } from '../../client/status/manifest';
import { takesOf } from '../../client/records/takes';
import { withParkedCosts } from '../../client/status/parked-costs';
import { Refused } from '../../client/wording/refused';
import { type Manifest } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';
import { type Config } from '../../workers/config/config';
import { statusIfUp } from '../session/status-if-up';
import { tellWhatWaits } from '../wording/report';
import { type Session } from '../session/open-session';

export interface ReviewedProduction {
  readonly status: ProductionStatus;
  readonly manifest: Manifest;
}

/** Reads the status and manifest of a production. @throws Refused if the production has not been rendered. */
export async function readReviewed(
  config: Config,
  store: Store,
  productionId: string,
  session?: Session,
): Promise<ReviewedProduction> {
  const status = await (session?.client.status(productionId) ?? statusIfUp(config, store, productionId));
  if (status === undefined) throw new Refused(`production "${productionId}" has not been rendered yet`);
  return { status, manifest: await manifestOf(store, config.account, status, inStore(store)) };
}

/**
 * Prints the parked shots and, if the production is running, the commands that resolve them. The review itself shows
 * only shots with completed takes.
 */
export async function tellParked(
  { account, prices }: Config,
  store: Store,
  { status, manifest }: ReviewedProduction,
): Promise<void> {
  const parked = status.shots.filter((shot) => shot.parked !== null);
  if (parked.length === 0) return;
  const takes = await takesOf(store, account, status.production);
  const quotes = store.account(account).quotes(prices);
  tellWhatWaits({ ...status, shots: parked }, await withParkedCosts(manifest, takes, quotes));
}
