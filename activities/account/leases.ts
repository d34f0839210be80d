import { Context, log } from '@temporalio/activity';
import { type TaskInput } from '../../contracts/activities';
import {
  type ArbiterLine,
  type AskedLease,
  type LeaseAsk,
  type LeaseNews,
  UNKNOWN_DEADLINE_SECONDS,
} from '../../contracts/gateway/arbiter';
import { type TakeRef } from '../../contracts/render/take';
import {
  acceptance,
  isRefused,
  isUnclearLease,
  leasedSending,
  type LimitsInForce,
  type Quotes,
  reservationOf,
  sendingState,
  type Store,
  type StoredAccount,
  type TakeHistory,
} from '../../store';
import { failure } from '../fail';
import { whileLedgerServes } from '../translate-error';

/** Pause before another request to an arbiter that did not answer. */
const ASK_AGAIN_MS = 2_000;

/** A sending that is due. A sending is one try to submit a take. */
export interface LeasedSending {
  readonly input: TaskInput;
  readonly take: TakeRef;
  readonly history: TakeHistory;
  /** Number of the sending. */
  readonly n: number;
}

export interface LeasesDependencies {
  readonly account: string;
  readonly store: Store;
  readonly quotes: () => Quotes;
  /** Undefined if there is no arbiter. No limits apply then. */
  readonly line: ArbiterLine | undefined;
}

export function deadlineSecondsOf({ turn }: Pick<TaskInput, 'turn'>): number {
  return turn?.deadlineSeconds ?? UNKNOWN_DEADLINE_SECONDS;
}

/**
 * Requests and checks leases, and reports on them to the account's arbiter. A lease is the arbiter's permission to
 * submit one take.
 *
 * If no limit is set and the gateway does not throttle, no lease is needed.
 */
export class Leases {
  readonly #store: Store;
  readonly #limits: StoredAccount['limits'];
  readonly #epochs: StoredAccount['epochs'];
  readonly #quotes: () => Quotes;
  readonly #line: ArbiterLine | undefined;

  constructor({ account, store, quotes, line }: LeasesDependencies) {
    const { limits, epochs } = store.account(account);
    this.#store = store;
    this.#limits = limits;
    this.#epochs = epochs;
    this.#quotes = quotes;
    this.#line = line;
  }

  /** True if no limit is in force, or if the sending has a valid lease. @throws LedgerUnavailable (retried) */
  async maySend({
    input: { lease },
    take,
    history,
  }: Pick<LeasedSending, 'input' | 'take' | 'history'>): Promise<boolean> {
    if ((await this.#inForce()) === undefined) return true;
    if (lease?.takeKey !== take.takeKey || Date.now() > Date.parse(lease.useBy)) return false;
    const since = history.sendings.filter(({ n }) => n >= lease.sending);
    if (!since.every(isRefused) || since.some(({ refused }) => refused?.endsLease === true)) return false;
    return whileLedgerServes(() => this.#epochs.isValid(lease));
  }

  /**
   * Requests a lease. The arbiter grants it later, by a signal to the workflow.
   *
   * @throws ArbiterUnreachable, LedgerUnavailable (retried)
   */
  async ask({ input, take, history, n }: LeasedSending, throttled?: LeaseAsk['throttled']): Promise<AskedLease> {
    const { lease, turn, productionId } = input;
    const { intent, sendings } = history;
    const { kind, units, quoted } = await whileLedgerServes(() =>
      reservationOf(take.shotId, intent, n, this.#quotes()),
    );
    const wanted = { takeKey: take.takeKey, sending: n };
    const holder = Context.current().info.workflowExecution?.workflowId;
    if (holder === undefined)
      throw failure(
        'ArbiterUnreachable',
        'this activity was not started by a workflow, so no lease can be granted to it',
      );
    const ask: LeaseAsk = {
      ...wanted,
      ...{ productionId, shotId: take.shotId, take: take.take, model: intent.model.id, kind, units, quoted },
      priority: turn?.priority ?? 'normal',
      ...(turn?.urgentFrom === undefined ? {} : { urgentFrom: turn.urgentFrom }),
      group: turn?.group ?? productionId,
      deadlineSeconds: deadlineSecondsOf(input),
      holder,
      still: [...new Set(sendings.filter((one) => !isRefused(one)).map(leasedSending))],
      force: (await this.#inForce())?.force ?? '',
      ...(lease === undefined || (await whileLedgerServes(() => this.#epochs.isValid(lease)))
        ? {}
        : { refused: { epoch: lease.epoch, runId: lease.runId } }),
      ...(throttled === undefined ? {} : { throttled }),
    };
    try {
      await this.#line?.ask(ask);
    } catch (error) {
      throw failure('ArbiterUnreachable', `the arbiter of the account cannot be asked: ${String(error)}`, {
        cause: error,
        nextRetryDelayMs: ASK_AGAIN_MS,
      });
    }
    return this.#line === undefined ? wanted : { ...wanted, arbiter: this.#line.arbiter };
  }

  /**
   * Records that the gateway has throttled a submit. For the next 24 hours, submits need a lease. Without an arbiter,
   * records nothing and returns false.
   *
   * @throws LedgerUnavailable (retried)
   */
  async noteThrottled(): Promise<boolean> {
    if (this.#line !== undefined) await whileLedgerServes(() => this.#limits.noteThrottled());
    return this.#line !== undefined;
  }

  /**
   * Reports news about a lease to the arbiter, for example that its sending has ended. Report an end only when it is in
   * the ledger: until then, another attempt may use the lease. If the report fails, the arbiter finds the end in the
   * ledger later.
   */
  async tell(news: LeaseNews): Promise<void> {
    try {
      await this.#line?.tell(news);
    } catch (error) {
      untold(error);
    }
  }

  /** If the history shows that the input's leased sending has ended or is unclear, tells the arbiter. */
  async tellStanding({ input, history }: Pick<LeasedSending, 'input' | 'history'>): Promise<void> {
    if (input.lease === undefined) return;
    const { takeKey, sending } = input.lease;
    const end = sendingState(history, { takeKey, sending }, deadlineSecondsOf(input));
    if (typeof end === 'object') await this.tell({ takeKey, sending, ...end });
    else if (isUnclearLease(history, sending)) await this.tell({ takeKey, sending, how: 'unclear', credits: 0 });
  }

  /** Tells the arbiter that the task of a take has ended, if limits are in force. */
  async tellTakeEnd(take: TakeRef): Promise<void> {
    try {
      if ((await this.#inForce()) === undefined) return;
      const history = await this.#store.ledger.take(take);
      const settled = history?.settled;
      const ended = history?.sendings.findLast((one) => acceptance(one)?.taskId === settled?.taskId);
      if (ended === undefined || settled === undefined) return;
      const sending = leasedSending(ended);
      await this.#line?.tell({ takeKey: take.takeKey, sending, how: 'ended', credits: settled.credits });
    } catch (error) {
      untold(error);
    }
  }

  #inForce(): Promise<LimitsInForce | undefined> {
    return this.#line === undefined ? Promise.resolve(undefined) : whileLedgerServes(() => this.#limits.inForce());
  }
}

/** Only logs the error, because the arbiter will find the news in the ledger. */
function untold(error: unknown): void {
  log.warn(`the arbiter could not be told about a lease, and will read the ledger: ${String(error)}`);
}
