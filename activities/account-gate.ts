import { type CallKind } from '../contracts/gate';
import { type GatewayClient, type GatewayError, lookAtGateway, type TaskToRead } from '../gateway';
import { type AddressedModel, createGateRecord, modelHash, type Records } from '../store';
import { isTimeOut } from './executes';
import { createGate, type Entry, type Gate, isOnly, type Trouble } from './gate';
import { submitRefusal } from './submit-refusal';
import { whileLedgerServes } from './translate-error';

/**
 * Holds back an account's submits while the gateway is not in good order, so that an outage makes one unclear take and
 * not fifty, and a key that is refused one refused request and not a thousand.
 *
 * A closed gate lets one submit through at a time, of all workers of the account, and opens by degrees when the gateway
 * gives that one a sure answer. If another model's calls are answered, only the troubled model's own gate stays closed.
 * See docs/decisions/0010-account-gate.md.
 */
export interface AccountGate {
  /**
   * Lets a submit through, or says that it has to wait: it never waits itself for longer than a read or a few submits
   * take.
   *
   * @param call how the submit goes out if it is the one that tries.
   * @throws GatewayDown, KeyRefused (retried)
   */
  pass(call: CallKind): Promise<Passage>;
}

/** What a submit that was let through owes the others: to say what it met. */
export interface Passage {
  /** It tries whether the gateway is in good order again. */
  readonly isTry: boolean;
  /** The request goes out: from now on the gateway may have been asked. */
  asks(): void;
  /** @param task null where the answer named none that can be read. */
  accepted(task: TaskToRead | null, mode: CallKind['mode']): Promise<void>;
  failed(error: GatewayError, sent: SentCall): Promise<void>;
  /** To be called in the end, whatever came: where the gateway was not asked, another submit may try. */
  leave(): Promise<void>;
}

export interface SentCall {
  readonly mode: CallKind['mode'];
  readonly tookMs: number;
}

/** How a submit got through the gates that are in its way. */
interface Through {
  readonly entry: Entry;
  /** The gate of its model's submits. */
  readonly own?: { readonly gate: Gate; readonly entry: Entry };
}

export interface GateDependencies {
  readonly gateway: GatewayClient;
  readonly records: Records;
  readonly account: string;
  /** Told that a model's executes fail while other calls are answered. */
  readonly submitInstead: (model: AddressedModel, reason: string) => Promise<void>;
}

export function createAccountGate({ gateway, records, account, submitInstead }: GateDependencies): AccountGate {
  /** The newest task that the gateway is known to have. */
  let knownTask: TaskToRead | undefined;
  const seeGateway = (): ReturnType<typeof lookAtGateway> => lookAtGateway(gateway, knownTask);
  const whole = createGate(createGateRecord(records, account), seeGateway, 'submits');
  const models = new Map<string, Gate>();

  function gateOf(model: AddressedModel): Gate {
    const key = modelHash(model);
    const gate =
      models.get(key) ?? createGate(createGateRecord(records, account, model), seeGateway, `submits of ${model.id}`);
    models.set(key, gate);
    return gate;
  }

  /** First the model's gate is looked at: a try at the account's is for a submit that can go out. */
  async function enter(call: CallKind): Promise<Through> {
    // What may only be executed does not wait for the model's submits.
    if (call.mode === 'execute') return { entry: await whole.enter(call) };
    const gate = gateOf(call.model);
    await gate.check(call);
    const entry = await whole.enter(call);
    try {
      return { entry, own: { gate, entry: await gate.enter(call) } };
    } catch (error) {
      await whole.leave(entry);
      throw error;
    }
  }

  /** The gateway is in good order; if calls of one kind alone had found it otherwise, they are the trouble. */
  async function answered(call: CallKind, { entry, own }: Through): Promise<void> {
    const only = entry.tried?.only;
    if (entry.tried !== undefined && only !== undefined && !isOnly(entry.tried, call)) {
      // Before the account's gate opens: nothing of that kind slips through in between.
      if (only.mode === 'execute') await submitInstead(only.model, entry.tried.reason);
      else await gateOf(only.model).closeAs(entry.tried);
    }
    await whole.sure(entry);
    await own?.gate.sure(own.entry);
  }

  /** Closes the account's gate, or the model's own if that is known to be the trouble. */
  async function troubled(
    call: CallKind,
    trouble: Trouble & { readonly leastMs: number },
    { entry, own }: Through,
  ): Promise<void> {
    const isUnclear = trouble.for === 'unclear';
    const isOwn = isUnclear && (await own?.gate.isClosed()) === true;
    if (isOwn && entry.tried === undefined) await whole.leave(entry);
    else await whole.close(entry, { ...trouble, ...(isUnclear ? { only: call } : {}) });
    if (isOwn) await own?.gate.close(own.entry, { ...trouble, only: { ...call, mode: 'submit' } });
    else await own?.gate.leave(own.entry);
  }

  /** Says nothing of the gateway. The model's tasks are submitted from now on: by degrees, as they may be many. */
  async function tookTooLong(call: CallKind, trouble: Trouble, through: Through): Promise<void> {
    await leave(through);
    await gateOf(call.model).doubt({ ...trouble, only: { model: call.model, mode: 'submit' } });
  }

  async function leave({ entry, own }: Through): Promise<void> {
    await whole.leave(entry);
    await own?.gate.leave(own.entry);
  }

  return {
    async pass(planned) {
      const { model } = planned;
      const through = await whileLedgerServes(() => enter(planned));
      let hasAsked = false;
      return {
        isTry: through.entry.tried !== undefined || through.own?.entry.tried !== undefined,
        asks() {
          hasAsked = true;
        },
        async accepted(task, mode) {
          knownTask = task ?? knownTask;
          await whileLedgerServes(() => answered({ model, mode }, through));
        },
        async failed(error, { mode, tookMs }) {
          const trouble = troubleOf(error);
          // A request that could not even be written has asked nobody.
          hasAsked = trouble !== undefined || error.status !== null;
          const call = { model, mode };
          if (trouble !== undefined) {
            const closing = { ...trouble, leastMs: error.retryAfterMs ?? 0 };
            const isSlow = mode === 'execute' && isTimeOut(error, tookMs);
            await whileLedgerServes(() => (isSlow ? tookTooLong : troubled)(call, closing, through));
          } else if (hasAsked) {
            await whileLedgerServes(() => answered(call, through));
          }
        },
        async leave() {
          if (!hasAsked) await leave(through);
        },
      };
    },
  };
}

/** What a submit met that is a reason to hold back the next ones. */
function troubleOf(error: GatewayError): Trouble | undefined {
  const { acceptance, message: reason } = error;
  if (acceptance === 'unclear') return { for: 'unclear', reason };
  const refusal = submitRefusal(error);
  // Other refusals are of this request, or say to wait or to pay: the gateway is in good order.
  return refusal === 'key' || refusal === 'down' ? { for: refusal, reason } : undefined;
}
