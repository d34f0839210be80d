import { checkReview, knownProduction, knownShot } from '../../client/directing';
import { openOwnStore } from '../../workers/own-store';
import { readConfig } from '../command-config';
import { type ExitCode } from '../exit-codes';
import { statusIfUp } from '../standing';
import { retakeOf, type RetakeOptions } from './retake';

/** Rejects the takes of a shot in review: another take is made, and no shot starts on the rejected ones. */
export async function reject(productionId: string, shotId: string, options: RetakeOptions): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  const known = await knownProduction(store, config.account, productionId);
  knownShot(known, shotId);
  checkReview(productionId, shotId, await statusIfUp(config, store, productionId));
  return retakeOf(config, store, known, shotId, options);
}
