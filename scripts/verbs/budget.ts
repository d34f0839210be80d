import { againCommand } from '../../client/again-command';
import { createBudgets, storedFigures } from '../../client/budgets';
import { createProductionRecords } from '../../client/production-records';
import { ofOtherAccount, Refused, unknownProduction } from '../../client/refused';
import { type BudgetFigures } from '../../contracts/budget';
import { createQuotes, type Store } from '../../store';
import { type Config } from '../../workers/config';
import { openOwnStore } from '../../workers/own-store';
import { readConfig } from '../command-config';
import { EXIT, type ExitCode } from '../exit-codes';
import { budgetInWords } from '../report';
import { hasWorker, NO_WORKER, openSession, openSessionIfUp } from '../session';
import { print, printJson, tell } from '../streams';

export interface BudgetOptions {
  readonly credits?: number;
  readonly json?: boolean;
}

/** Shows where the budget of a production stands, or gives it another one first. */
export async function budget(productionId: string, { credits, json }: BudgetOptions): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  const records = createProductionRecords(store);
  const begun = await records.begun(productionId);
  if (begun === undefined) throw unknownProduction(productionId, await records.ids());
  if (begun.account !== config.account) {
    throw ofOtherAccount(`production "${productionId}" is rendered`, begun.account, config.account);
  }
  const isOpen = (await records.archived(productionId))?.renderId !== begun.renderId;

  const { figures, isStopped } = await (credits === undefined
    ? lookAt(config, store, productionId)
    : give(config, store, productionId, { credits, isOpen }));
  const quotes = createQuotes(store.records, config.account, config.prices);
  const now = figures ?? (await storedFigures(store, { account: config.account, quotes }, productionId));
  if (json === true) printJson(now ?? null);
  else print(now === undefined ? `Production "${productionId}" has no budget.` : budgetInWords(now));
  if (credits !== undefined && (figures === undefined || isStopped)) {
    const command = await againCommand(store, { what: 'production', id: productionId });
    tell(`It holds from the next render on: ${command}`);
  }
  return EXIT.completed;
}

interface Answer {
  /** Undefined where the production is not running, or nobody can be asked without bringing anything up. */
  readonly figures: BudgetFigures | undefined;
  /** Whether what answered was brought up for that alone. */
  readonly isStopped: boolean;
}

async function lookAt(config: Config, store: Store, productionId: string): Promise<Answer> {
  const session = await openSessionIfUp(config, store);
  try {
    const status = await session?.client.status(productionId);
    return { figures: status?.state === 'running' ? status.budget : undefined, isStopped: false };
  } finally {
    await session?.close();
  }
}

/** @param given isOpen: its render has not ended, as far as the store knows, so that a worker has to take it. */
async function give(
  config: Config,
  store: Store,
  productionId: string,
  given: { readonly credits: number; readonly isOpen: boolean },
): Promise<Answer> {
  const session = await (given.isOpen ? openSession(config, store) : openSessionIfUp(config, store));
  if (session === undefined) {
    await createBudgets(store).give(productionId, given.credits);
    return { figures: undefined, isStopped: false };
  }
  let figures: BudgetFigures | undefined;
  let isStopped: boolean;
  try {
    if (given.isOpen && !(await hasWorker(session))) throw new Refused(`nothing has changed. ${NO_WORKER}`);
    figures = await session.client.setBudget(productionId, given.credits);
  } finally {
    isStopped = (await session.close()).stopped;
  }
  return { figures, isStopped };
}
