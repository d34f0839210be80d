import {
  type AccountLimitsView,
  applyLimitRequest,
  type LimitRequest,
  type QueueView,
  queueView,
} from '../temporal/limits';
import { type GateClosing } from '../../store';
import { type ProgramContext } from './context';

export interface AccountPrograms {
  /** Shows the account's limits, or changes them first. As `dailies limits`. */
  limits(request?: LimitRequest): Promise<AccountLimitsView>;
  /** What waits for a lease, the next one first. Empty if no worker is running. As `dailies queue`. */
  queue(): Promise<QueueView>;
  /**
   * What keeps the account's submits from being sent, after the gateway refused, throttled or left them unanswered.
   * Empty if nothing does.
   */
  closedGates(): Promise<readonly ClosedSubmits[]>;
}

/** Submits that wait until the gateway accepts one. Times are ISO 8601. */
export interface ClosedSubmits extends Pick<GateClosing, 'reason' | 'since'> {
  /** The model whose submits wait; null for all of the account. */
  readonly model: string | null;
  /** One submit tries from then on, if the gateway answers reads. */
  readonly triesAt: string;
  /** One submit tries then at the latest. */
  readonly triesAnywayAt: string;
}

export function createAccountPrograms({ config, store, client, hasWorker }: ProgramContext): AccountPrograms {
  const arbiter = async () => ((await hasWorker()) ? client.arbiter : undefined);
  return {
    limits: async (request) => (await applyLimitRequest(store, config.account, await arbiter(), request)).limits,
    queue: async () => queueView(await (await arbiter())?.view()),
    async closedGates() {
      const account = store.account(config.account);
      const whole = await account.gate.read();
      const ofModels = (await account.closedModelGates()).map((one) =>
        closedSubmits(one, one.only?.model.id ?? 'one model'),
      );
      return [...(whole === undefined ? [] : [closedSubmits(whole, null)]), ...ofModels];
    },
  };
}

function closedSubmits(
  { reason, since, tryAt, lastProbe, tryAnywayAt }: GateClosing,
  model: string | null,
): ClosedSubmits {
  const triesAt = [tryAt, lastProbe?.until ?? ''].toSorted().at(-1) ?? tryAt;
  return { model, reason, since, triesAt, triesAnywayAt: tryAnywayAt };
}
