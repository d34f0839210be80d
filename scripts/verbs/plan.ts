import { planFile } from '../../client/plan/plan-file';
import { absolute } from '../../client/wording/working-folder';
import { formatIssues, loadProduction } from '../../client/production-file';
import { type RenderPlan } from '../../contracts/render/render-plan';
import { type StoreView, viewStore } from '../../store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode, exitCodeOf } from '../process/exit-codes';
import { lapsedInWords, planInWords } from '../../client/plan/plan-in-words';
import { VerbFailed } from '../process/run-verb';
import { print, printJson, tell } from '../process/streams';
import { type Config } from '../../workers/config/config';
import { checkOwnStore } from '../../workers/store/own-store';
import { tellOfLedger } from '../session/which-ledger';

export interface PlanOptions {
  readonly id?: string;
  readonly json?: boolean;
}

/** Shows what a render of a file would do and cost. Changes and starts nothing. */
export async function plan(file: string, { id, json }: PlanOptions): Promise<ExitCode> {
  const config = readConfig(file);
  const loaded = await loadProduction(file, config);
  if (!loaded.ok) throw new VerbFailed(EXIT.refused, formatIssues(loaded.issues));
  const { account, prices } = config;
  const store = await viewStore(config.storeFolder);
  const productionId = id ?? loaded.production.id;
  if (config.storePlace.exists) await checkOwnStore(config);
  await tellOfLedger(config, store, { productionId, path: absolute(file) });
  const { isLost } = await refuseWhatTemporalKnows(config, productionId);
  const quotes = store.account(account).quotes(prices);
  // `planFile` refuses every id that a render would refuse.
  const { plan: found, lapsed } = await planFile({ store, account, quotes }, loaded.production, { file, id, isLost });
  if (json === true) printJson(found);
  else print(planInWords(found));
  if (lapsed.length > 0) tell(lapsedInWords(lapsed));
  if (found.underWay) tell(underWayInWords(found));
  await tellOfGap(store);
  return EXIT.completed;
}

/** Makes a render's checks against Temporal. Only warns if Temporal is unreachable. @throws Refused, StoreError */
async function refuseWhatTemporalKnows(config: Config, productionId: string): Promise<{ readonly isLost: boolean }> {
  if (config.temporalAddress === undefined) return { isLost: false };
  try {
    return await (await import('../session/ask-temporal.js')).refuseAsRender(config, productionId);
  } catch (error) {
    if (exitCodeOf(error) !== EXIT.unreachable) throw error;
    tell('Temporal could not be asked whether it knows of takes that this ledger does not have.');
    return { isLost: false };
  }
}

function underWayInWords({ production, joins }: RenderPlan): string {
  const look = `see \`dailies status ${production}\``;
  if (joins) return `A render of "${production}" runs or was interrupted. A render of this file joins it; ${look}.`;
  return (
    `A render of an earlier version of "${production}" runs or was interrupted; ${look}. ` +
    'Until that render has ended, a render of this file is refused. After that, a render does what is planned here. ' +
    `\`dailies edit ${production} FILE\` makes the earlier render follow the file now.`
  );
}

/** If the ledger may lack takes after a restore or a takeover, says that shots wait for a decision before payment. */
async function tellOfGap({ restores }: StoreView): Promise<void> {
  if ((await restores.openGap()) === undefined) return;
  tell(
    'The ledger was restored from a backup, or the store was copied and then taken over, so the ledger may lack paid takes. ' +
      'Before a shot is paid for, it waits for your decision.',
  );
}
