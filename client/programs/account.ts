import { type AccountLimitsView, limitsView, type LimitRequest, type QueueView, queueView } from '../limits';
import { type ProgramContext } from './context';

/** What a program does with the account's limits. */
export interface AccountPrograms {
  /** As `dailies limits`: shows what the account may do, or changes it first. */
  limits(request?: LimitRequest): Promise<AccountLimitsView>;
  /** As `dailies queue`: what waits for its turn at the gateway, the next one first. Empty where no worker runs. */
  queue(): Promise<QueueView>;
}

export function createAccountPrograms({ config, store, client, hasWorker }: ProgramContext): AccountPrograms {
  const arbiter = async () => ((await hasWorker()) ? client.arbiter : undefined);
  return {
    limits: async (request) => (await limitsView(store, config.account, await arbiter(), request)).limits,
    queue: async () => queueView(await (await arbiter())?.view()),
  };
}
