import { knownProduction, proposeChoice } from '../../client/directing';
import { createQuotes, openStore } from '../../store';
import { readConfig } from '../../workers/config';
import { carryOut, type CarryOutOptions } from '../carry-out';
import { type ExitCode } from '../exit-codes';

/** Has another take stand for a shot. What that makes stale is rendered anew; asks where that costs anything. */
export async function choose(
  productionId: string,
  shotId: string,
  take: number,
  options: CarryOutOptions,
): Promise<ExitCode> {
  const config = readConfig();
  const { account, prices } = config;
  const store = await openStore(config.storeFolder);
  const known = await knownProduction(store, account, productionId);
  const quotes = createQuotes(store.records, account, prices);
  const proposal = await proposeChoice({ store, account, quotes }, known, shotId, take);
  const wording = {
    question: `Let take ${take} stand for "${shotId}"?`,
    asksAlways: false,
    done: `Noted: take ${take} stands for "${shotId}".`,
  };
  return carryOut(config, store, proposal, wording, options);
}
