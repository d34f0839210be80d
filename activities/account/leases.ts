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

/**
 * Requests and checks leases, and reports on them to the account's arbiter. A lease is the arbiter's permission to
 * submit one take.
 *
 * If no limit is set and the gateway does not throttle, no lease is needed.
 */
export interface Leases {
  /** True if no limit is in force, or if the sending has a valid lease. @throws LedgerUnavailable (retried) */
  maySend(sending: Pick<LeasedSending, 'input' | 'take' | 'history'>): Promise<boolean>;
  /**
   * Requests a lease. The arbiter grants it later, by a signal to the workflow.
   *
   * @throws ArbiterUnreachable, LedgerUnavailable (retried)
   */
  ask(sending: LeasedSending, throttled?: LeaseAsk['throttled']): Promise<AskedLease>;
  /**
   * Records that the gateway has throttled a submit. For the next 24 hours, submits need a lease. Without an arbiter,
   * records nothing and returns false.
   *
   * @throws LedgerUnavailable (retried)
   */
  noteThrottled(): Promise<boolean>;
  /**
   * Reports news about a lease to the arbiter, for example that its sending has ended. Report an end only when it is in
   * the ledger: until then, another attempt may use the lease. If the report fails, the arbiter finds the end in the
   * ledger later.
   */
  tell(news: LeaseNews): Promise<void>;
  /** If the history shows that the input's leased sending has ended or is unclear, tells the arbiter. */
  tellStanding(sending: Pick<LeasedSending, 'input' | 'history'>): Promise<void>;
  /** Tells the arbiter that the task of a take has ended, if limits are in force. */
  tellTakeEnd(take: TakeRef): Promise<void>;
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

export function createLeases({ account, store, quotes, line }: LeasesDependencies): Leases {
  const { limits, epochs } = store.account(account);
  const inForce = (): Promise<LimitsInForce | undefined> =>
    line === undefined ? Promise.resolve(undefined) : whileLedgerServes(() => limits.inForce());

  async function tell(news: LeaseNews): Promise<void> {
    try {
      await line?.tell(news);
    } catch (error) {
      untold(error);
    }
  }

  return {
    tell,
    async tellStanding({ input, history }) {
      if (input.lease === undefined) return;
      const { takeKey, sending } = input.lease;
      const end = sendingState(history, { takeKey, sending }, deadlineSecondsOf(input));
      if (typeof end === 'object') await tell({ takeKey, sending, ...end });
      else if (isUnclearLease(history, sending)) await tell({ takeKey, sending, how: 'unclear', credits: 0 });
    },
    async maySend({ input: { lease }, take, history }) {
      if ((await inForce()) === undefined) return true;
      if (lease?.takeKey !== take.takeKey || Date.now() > Date.parse(lease.useBy)) return false;
      const since = history.sendings.filter(({ n }) => n >= lease.sending);
      if (!since.every(isRefused) || since.some(({ refused }) => refused?.endsLease === true)) return false;
      return whileLedgerServes(() => epochs.isValid(lease));
    },
    async ask({ input, take, history, n }, throttled) {
      const { lease, turn, productionId } = input;
      const { intent, sendings } = history;
      const { kind, units, quoted } = await whileLedgerServes(() => reservationOf(take.shotId, intent, n, quotes()));
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
        force: (await inForce())?.force ?? '',
        ...(lease === undefined || (await whileLedgerServes(() => epochs.isValid(lease)))
          ? {}
          : { refused: { epoch: lease.epoch, runId: lease.runId } }),
        ...(throttled === undefined ? {} : { throttled }),
      };
      try {
        await line?.ask(ask);
      } catch (error) {
        throw failure('ArbiterUnreachable', `the arbiter of the account cannot be asked: ${String(error)}`, {
          cause: error,
          nextRetryDelayMs: ASK_AGAIN_MS,
        });
      }
      return line === undefined ? wanted : { ...wanted, arbiter: line.arbiter };
    },
    async noteThrottled() {
      if (line !== undefined) await whileLedgerServes(() => limits.noteThrottled());
      return line !== undefined;
    },
    async tellTakeEnd(take) {
      try {
        if ((await inForce()) === undefined) return;
        const history = await store.ledger.take(take);
        const settled = history?.settled;
        const ended = history?.sendings.findLast((one) => acceptance(one)?.taskId === settled?.taskId);
        if (ended === undefined || settled === undefined) return;
        const sending = leasedSending(ended);
        await line?.tell({ takeKey: take.takeKey, sending, how: 'ended', credits: settled.credits });
      } catch (error) {
        untold(error);
      }
    },
  };
}

/** Only logs the error, because the arbiter will find the news in the ledger. */
function untold(error: unknown): void {
  log.warn(`the arbiter could not be told news of a lease, and will look for it: ${String(error)}`);
}
