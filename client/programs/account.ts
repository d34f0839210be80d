import { type AccountLimitsView, limitsView, type LimitRequest, type QueueView, queueView } from '../temporal/limits';
import { type ProgramContext } from './context';

export interface AccountPrograms {
  /** Shows the account's limits, or changes them first. As `dailies limits`. */
  limits(request?: LimitRequest): Promise<AccountLimitsView>;
  /** What waits for a lease, the next one first. Empty if no worker is running. As `dailies queue`. */
  queue(): Promise<QueueView>;
}

export function createAccountPrograms({ config, store, client, hasWorker }: ProgramContext): AccountPrograms {
  const arbiter = async () => ((await hasWorker()) ? client.arbiter : undefined);
  return {
    limits: async (request) => (await limitsView(store, config.account, await arbiter(), request)).limits,
    queue: async () => queueView(await (await arbiter())?.view()),
  };
}
