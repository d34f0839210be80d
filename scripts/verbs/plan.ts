import { resolve } from 'node:path';
import { createProductionRecords } from '../../client';
import { planRender } from '../../client/plan';
import { formatIssues, frozenForm, loadProduction } from '../../client/production-file';
import { createQuotes, openGap, type StoreView, viewStore } from '../../store';
import { readConfig } from '../../workers/config';
import { EXIT, type ExitCode } from '../exit-codes';
import { planInWords } from '../plan-wording';
import { VerbFailed } from '../run-verb';
import { print, printJson, tell } from '../streams';

export interface PlanOptions {
  readonly id?: string;
  readonly json?: boolean;
}

/** Shows what rendering a file would do and cost. Looks at the file and the store alone, and changes neither. */
export async function plan(file: string, { id, json }: PlanOptions): Promise<ExitCode> {
  const config = readConfig();
  const loaded = await loadProduction(file, config);
  if (!loaded.ok) throw new VerbFailed(EXIT.refused, formatIssues(loaded.issues));
  const { account, prices } = config;
  const store = await viewStore(config.storeFolder);
  const production = await frozenForm(loaded.production, id === undefined ? {} : { id });
  // What a render would refuse is not worth a plan.
  const claim = { productionId: production.id, path: resolve(file), account, takeOver: id !== undefined };
  await createProductionRecords(store).checkClaim(claim);

  const found = await planRender({ store, account, quotes: createQuotes(store.records, account, prices), production });
  if (json === true) printJson(found);
  else print(planInWords(found));
  if (found.underWay)
    tell(`A render of "${found.production}" runs or was interrupted; see \`dailies status ${found.production}\`.`);
  await tellOfGap(store);
  return EXIT.completed;
}

/** After a restore nothing goes out unasked. */
async function tellOfGap({ records }: StoreView): Promise<void> {
  if ((await openGap(records)) === undefined) return;
  tell('The ledger was restored from a backup: each shot that would be paid for waits for you first.');
}
