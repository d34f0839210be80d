import { knownProduction, proposeEdit } from '../../client/directing';
import { formatIssues, loadProduction } from '../../client/production-file';
import { openOwnStore } from '../../workers/store/own-store';
import { carryOut, type CarryOutOptions } from '../renders/carry-out';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { VerbFailed } from '../process/run-verb';

/** Lets a running production follow `file`. @throws Refused if the production has ended or `file` changes nothing. */
export async function edit(productionId: string, file: string, options: CarryOutOptions): Promise<ExitCode> {
  const config = readConfig(file);
  const { account, prices } = config;
  const loaded = await loadProduction(file, config);
  if (!loaded.ok) throw new VerbFailed(EXIT.refused, formatIssues(loaded.issues));
  const store = await openOwnStore(config);
  const known = await knownProduction(store, account, productionId);
  const quotes = store.account(account).quotes(prices);
  const proposal = await proposeEdit({ store, account, quotes }, known, file, loaded.production);
  const wording = {
    question: `Let "${productionId}" follow ${file}?`,
    asksAlways: true,
    done: `Noted: "${productionId}" is rendered from ${file}.`,
  };
  return carryOut(config, store, proposal, wording, options);
}
