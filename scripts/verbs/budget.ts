import { againCommand } from '../../client/status/again-command';
import { budgetedRender, giveBudget, runningFigures } from '../../client/dailies/budget-figures';
import { createBudgets, storedFigures } from '../../client/status/budgets';
import { type BudgetFigures } from '../../contracts/money/budget';
import { type Store } from '../../store';
import { type Config } from '../../workers/config/config';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { budgetStateInWords } from '../wording/report';
import { hasWorker, openSession, openSessionIfUp } from '../session/session';
import { print, printJson, tell } from '../process/streams';

export interface BudgetOptions {
  readonly credits?: number;
  readonly json?: boolean;
}

/** Shows the budget of a production, after changing it if `credits` is given. */
export async function budget(productionId: string, { credits, json }: BudgetOptions): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  const { isOpen } = await budgetedRender(store, config.account, productionId);

  const { figures, isStopped } = await (credits === undefined
    ? lookAt(config, store, productionId)
    : give(config, store, productionId, { credits, isOpen }));
  const quotes = store.account(config.account).quotes(config.prices);
  const now = figures ?? (await storedFigures(store, { account: config.account, quotes }, productionId));
  if (json === true) printJson(now ?? null);
  else print(now === undefined ? `Production "${productionId}" has no budget.` : budgetStateInWords(now));
  if (credits !== undefined && (figures === undefined || isStopped)) {
    const command = await againCommand(store, { what: 'production', id: productionId });
    tell(`The new budget applies from the next render on: ${command}`);
  }
  return EXIT.completed;
}

interface Answer {
  /** Undefined if the production is not running or has no budget, or if `openSessionIfUp` opens no session. */
  readonly figures: BudgetFigures | undefined;
  /** Whether this command has stopped the embedded Temporal server and worker. */
  readonly isStopped: boolean;
}

async function lookAt(config: Config, store: Store, productionId: string): Promise<Answer> {
  const session = await openSessionIfUp(config, store);
  try {
    const figures = session && (await runningFigures(session.client, productionId));
    return { figures, isStopped: false };
  } finally {
    await session?.close();
  }
}

/** @param given.isOpen true if the store has no record of the render's end. Then a worker has to accept the budget. */
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
    const taking = { client: session.client, hasWorker: () => hasWorker(session) };
    figures = await giveBudget(taking, productionId, given);
  } finally {
    isStopped = (await session.close()).stopped;
  }
  return { figures, isStopped };
}
