import { checkReview, knownProduction, knownShot } from '../../client/directing';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { type ExitCode } from '../process/exit-codes';
import { statusIfUp } from '../session/status-if-up';
import { retakeOf, type RetakeOptions } from './retake';

/** Rejects the takes of a shot in review: another take is made, and no shot starts on the rejected takes. */
export async function reject(productionId: string, shotId: string, options: RetakeOptions): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  const known = await knownProduction(store, config.account, productionId);
  knownShot(known, shotId);
  checkReview(productionId, shotId, await statusIfUp(config, store, productionId));
  return retakeOf(config, store, known, shotId, options);
}
