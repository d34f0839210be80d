import { freezeRender, refuseWhilePaused, storedStatus } from '../../client';
import { shellWord } from '../../contracts/terminal-text';
import { directedProduction } from '../../client/freeze/directed-production';
import { type CheckedProduction, formatIssues, loadProduction } from '../../client/production-file';
import { frozenForm } from '../../client/freeze/freeze-production';
import { absolute } from '../../client/wording/working-folder';
import { type Priority } from '../../contracts/gateway/arbiter';
import { type Store, viewStore } from '../../store';
import { type Config } from '../../workers/config/config';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { plannedRequests } from '../wording/dry-run';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { listenForInterrupt } from '../process/interrupt';
import { planFile } from '../../client/plan/plan-file';
import { budgetInWords, lapsedInWords, unclearInWords } from '../../client/plan/plan-in-words';
import { checkNotifyTarget } from '../session/notify-target';
import { checkGateway } from '../session/preflight';
import { type OutcomeOptions, renderToEnd } from '../renders/render-to-end';
import { VerbFailed } from '../process/run-verb';
import { tellOfSandbox } from '../session/session';
import { type Session } from '../session/open-session';
import { print, printJson, tell } from '../process/streams';
import { askBeforeSpending, tellHowToFindStore } from '../session/which-ledger';
import { isBegunVersion } from '../../client/records/same-version';
import { checkClaim } from '../../client/records/production-claim';

export interface RenderOptions extends OutcomeOptions {
  readonly id?: string;
  readonly dryRun?: boolean;
  readonly maxInFlight?: number;
  readonly priority?: Priority;
  /** No person reviews: the first completed take of each shot is approved. */
  readonly yes?: boolean;
}

export async function render(file: string, options: RenderOptions): Promise<ExitCode> {
  const config = readConfig(file);
  const loaded = await loadProduction(file, config);
  if (!loaded.ok) throw new VerbFailed(EXIT.refused, formatIssues(loaded.issues));
  if (options.dryRun === true) return dryRun(loaded.production, config, options);

  const interrupt = listenForInterrupt();
  tellOfSandbox(config);
  const store = await openOwnStore(config);
  const productionId = options.id ?? loaded.production.id;
  // Check the claim first, because `checkClaim` refuses the id of a batch. `refuseWhilePaused` finds no running
  // production with that id, and would end the batch's pause.
  await checkClaim(store, {
    productionId,
    path: absolute(file),
    takeOver: options.id !== undefined,
  });
  await checkNotifyTarget(config, loaded.production.notify?.url);
  await askBeforeSpending(config, store, { productionId, path: absolute(file) });
  tellHowToFindStore(config);
  await refuseWhilePaused(store, 'production', productionId, () =>
    storedStatus(store, config.account, productionId, config.prices),
  );
  const { request, lapsed } = await freezeRender(store, loaded.production, {
    file,
    id: options.id,
    flags: {
      maxInFlight: options.maxInFlight ?? null,
      unattended: options.yes === true,
      ...(options.priority === undefined ? {} : { priority: options.priority }),
    },
  });
  if (lapsed.length > 0) tell(lapsedInWords(lapsed));
  if (loaded.production.budget !== undefined)
    await tellOfBudget(config, store, loaded.production, { file, ...options });
  await checkGateway(config);
  const rendering = {
    productionId,
    // The command repeats a given --id, because the file alone would name another production.
    command: () =>
      Promise.resolve(`dailies render ${shellWord(file)}${flag('id', options.id)}${flag('out', options.out)}`),
    begin: async ({ client, set }: Session) => {
      const { attached } = await client.render(request);
      tell(attached ? attachedInWords(productionId, set) : `Rendering "${productionId}".`);
      if (attached && options.yes === true) tell(ATTACHED_YES);
    },
    isRecorded: () => isBegunVersion(store, config.account, request),
  };
  return renderToEnd(config, store, rendering, interrupt, options);
}

/** If a new render pays for takes, compares its price with the budget, and warns of unclear takes. */
async function tellOfBudget(
  { account, prices }: Config,
  store: Store,
  production: CheckedProduction,
  { file, id }: Pick<RenderOptions, 'id'> & { readonly file: string },
): Promise<void> {
  const quotes = store.account(account).quotes(prices);
  const { plan } = await planFile({ store, account, quotes }, production, { file, id });
  if (!plan.underWay && plan.quote.tasks > 0) tell([...budgetInWords(plan), ...unclearInWords(plan)]);
}

function flag(name: string, value: string | undefined): string {
  return value === undefined ? '' : ` --${name} ${shellWord(value)}`;
}

const ATTACHED_YES =
  '--yes applies only to a render that this command starts; the running render waits for its reviews.';

async function dryRun(
  checked: CheckedProduction,
  { storeFolder }: Config,
  { id, json }: RenderOptions,
): Promise<ExitCode> {
  const written = await frozenForm(checked, id === undefined ? {} : { id });
  const { production } = await directedProduction(written, await viewStore(storeFolder));
  const requests = plannedRequests(production);
  if (json === true) printJson({ production: production.id, requests });
  else {
    for (const { shot, method, path, body } of requests) {
      print([`# ${shot}`, `${method} ${path}`, ...JSON.stringify(body, null, 2).split('\n'), '']);
    }
  }
  return EXIT.completed;
}

function attachedInWords(productionId: string, set: Session['set']): string {
  return set?.started === true
    ? `Going on with "${productionId}", where it stopped.`
    : `Attached to "${productionId}", which is being rendered.`;
}
