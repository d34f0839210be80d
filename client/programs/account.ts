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
  /** Makes the requested change, if any, and returns the account's limits. Like `dailies limits`. */
  limits(request?: LimitRequest): Promise<AccountLimitsView>;
  /**
   * The takes that wait because of the account's limits or throttling, the next one first. Without a worker the list is
   * empty, since it is not known what waits. Like `dailies queue`.
   */
  queue(): Promise<QueueView>;
  /** The closed gates of the account and of single models. Empty if no gate is closed. */
  closedGates(): Promise<readonly ClosedSubmits[]>;
}

/**
 * A closed gate. The submits behind a gate wait until the answer to one of them shows that the gateway works. Times are
 * ISO 8601.
 */
export interface ClosedSubmits extends Pick<GateClosing, 'reason' | 'since'> {
  /** The model whose submits wait, or `one model` if the record names none; null if all the account's submits wait. */
  readonly model: string | null;
  /** The time from which one submit is tried, if the gateway answers reads. */
  readonly triesAt: string;
  /** The time at which one submit is tried even if the gateway answers no reads. */
  readonly triesAnywayAt: string;
}

export function createAccountPrograms({ config, store, client, hasWorker }: ProgramContext): AccountPrograms {
  return {
    async limits(request) {
      const arbiter = (await hasWorker()) ? client.arbiter : undefined;
      return (await applyLimitRequest(store, config.account, arbiter, request)).limits;
    },
    async queue() {
      const isServed = await hasWorker();
      return queueView(isServed, isServed ? await client.arbiter.view() : undefined);
    },
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
  // No submit is tried while the last one may still be under way.
  const notBeforeProbe = (at: string): string => [at, lastProbe?.until ?? ''].toSorted().at(-1) ?? at;
  return { model, reason, since, triesAt: notBeforeProbe(tryAt), triesAnywayAt: notBeforeProbe(tryAnywayAt) };
}
