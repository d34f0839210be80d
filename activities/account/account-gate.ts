import { type CallKind } from '../../contracts/gateway/gate';
import { type GatewayClient, type GatewayError, lookAtGateway, submitRefusal, type TaskToRead } from '../../gateway';
import { type AddressedModel, type GateRecord, modelHash, type StoredAccount } from '../../store';
import { isTimeOut } from './executes';
import { type Entry, Gate, isOnly, type Trouble } from './gate';
import { whileLedgerServes } from '../translate-error';

/** A submit that was let through. Its sender must report the outcome. */
export interface Passage {
  /** True if this submit is a probe of a closed gate. */
  readonly isTry: boolean;
  /** Call right before the request is sent. From then on the request may have reached the gateway. */
  asks(): void;
  /** @param task null if the answer has no usable task id. */
  accepted(task: TaskToRead | null, mode: CallKind['mode']): Promise<void>;
  failed(error: GatewayError, sent: SentCall): Promise<void>;
  /** Call at the end, whatever the outcome. If the request was not sent, this frees its place for another submit. */
  leave(): Promise<void>;
}

export interface SentCall {
  readonly mode: CallKind['mode'];
  readonly tookMs: number;
}

interface Through {
  readonly entry: Entry;
  /** The gate of the model's submits. Absent if the task must be executed. */
  readonly own?: { readonly gate: Gate; readonly entry: Entry };
}

export interface GateDependencies {
  readonly gateway: GatewayClient;
  readonly gates: Pick<StoredAccount, 'gate' | 'modelGate'>;
  /** Called when a model's executes fail while other calls are answered. */
  readonly submitInstead: (model: AddressedModel, reason: string) => Promise<void>;
}

/**
 * Holds back an account's submits while the gateway fails or refuses the key. So an outage leaves few takes unclear,
 * and few requests are sent with a refused key.
 *
 * A closed gate lets one submit at a time through as a probe, counted over all workers. When the answer to the probe
 * shows that the gateway works and accepts the key, the gate opens gradually.
 *
 * The kind of a call is its model and its mode: a submit returns a task id at once, an execute waits for the result. If
 * all failed calls were of one kind, the success of another kind does not show that the failed kind works. So the gate
 * opens, but the failed kind stays limited:
 *
 * - Submits: the model's own gate closes.
 * - Executes: the model's tasks are submitted instead.
 *
 * See docs/decisions/0010-account-gate.md.
 */
export class AccountGate {
  readonly #gateway: GatewayClient;
  readonly #gates: GateDependencies['gates'];
  readonly #submitInstead: GateDependencies['submitInstead'];
  readonly #whole: Gate;
  readonly #models = new Map<string, Gate>();
  /** The newest task that the gateway is known to have. */
  #knownTask: TaskToRead | undefined;

  constructor({ gateway, gates, submitInstead }: GateDependencies) {
    this.#gateway = gateway;
    this.#gates = gates;
    this.#submitInstead = submitInstead;
    this.#whole = this.#newGate(gates.gate, 'submits');
  }

  /**
   * Lets a submit through, or throws if the submit must be tried again later. Waits at each gate at most for one read
   * of the gateway and, while the gate opens, for a few seconds.
   *
   * @param planned the call's kind if it becomes a probe. Otherwise the call may be sent in the other mode.
   * @throws GatewayDown, KeyRefused, LedgerUnavailable (retried)
   */
  async pass(planned: CallKind): Promise<Passage> {
    const { model } = planned;
    const through = await whileLedgerServes(() => this.#enter(planned));
    let hasAsked = false;
    return {
      isTry: through.entry.tried !== undefined || through.own?.entry.tried !== undefined,
      asks() {
        hasAsked = true;
      },
      accepted: async (task, mode) => {
        this.#knownTask = task ?? this.#knownTask;
        await whileLedgerServes(() => this.#answered({ model, mode }, through));
      },
      failed: async (error, { mode, tookMs }) => {
        const trouble = troubleOf(error);
        // Without a trouble and without a status, the request could not be built, so nothing was sent.
        hasAsked = trouble !== undefined || error.status !== null;
        const call = { model, mode };
        if (trouble !== undefined) {
          const closing = { ...trouble, leastMs: error.retryAfterMs ?? 0 };
          const isSlow = mode === 'execute' && isTimeOut(error, tookMs);
          await whileLedgerServes(() =>
            isSlow ? this.#tookTooLong(call, closing, through) : this.#troubled(call, closing, through),
          );
        } else if (hasAsked) {
          await whileLedgerServes(() => this.#answered(call, through));
        }
      },
      leave: async () => {
        if (!hasAsked) await this.#leave(through);
      },
    };
  }

  /** Checks the model's gate first, since only a submit that can be sent may probe the account's gate. */
  async #enter(call: CallKind): Promise<Through> {
    // A take that must be executed does not wait at the gate of the model's submits.
    if (call.mode === 'execute') return { entry: await this.#whole.enter(call) };
    const gate = this.#gateOf(call.model);
    await gate.check(call);
    const entry = await this.#whole.enter(call);
    try {
      return { entry, own: { gate, entry: await gate.enter(call) } };
    } catch (error) {
      await this.#whole.leave(entry);
      throw error;
    }
  }

  /** Opens the gates that the submit probed. Called after an answer that shows that the gateway works. */
  async #answered(call: CallKind, { entry, own }: Through): Promise<void> {
    const only = entry.tried?.only;
    if (entry.tried !== undefined && only !== undefined && !isOnly(entry.tried, call)) {
      // Only calls of another kind have failed. Limit that kind before the account's gate opens, so that no such call
      // gets through in between.
      if (only.mode === 'execute') await this.#submitInstead(only.model, entry.tried.reason);
      else await this.#gateOf(only.model).closeAs(entry.tried);
    }
    await this.#whole.sure(entry);
    await own?.gate.sure(own.entry);
  }

  /**
   * Closes the account's gate, unless the outcome is unclear and the model's gate is closed already. Then closes the
   * model's gate again, and closes the account's gate only if the submit probed it.
   */
  async #troubled(
    call: CallKind,
    trouble: Trouble & { readonly leastMs: number },
    { entry, own }: Through,
  ): Promise<void> {
    const isUnclear = trouble.for === 'unclear';
    const isOwn = isUnclear && (await own?.gate.isClosed()) === true;
    if (isOwn && entry.tried === undefined) await this.#whole.leave(entry);
    else await this.#whole.close(entry, { ...trouble, ...(isUnclear ? { only: call } : {}) });
    if (isOwn) await own?.gate.close(own.entry, { ...trouble, only: { ...call, mode: 'submit' } });
    else await own?.gate.leave(own.entry);
  }

  /**
   * A slow execute says nothing about the gateway, so the account's gate does not change. The model's later tasks are
   * submitted instead. There may be many, so the model's gate lets them through gradually.
   */
  async #tookTooLong(call: CallKind, trouble: Trouble, through: Through): Promise<void> {
    await this.#leave(through);
    await this.#gateOf(call.model).doubt({ ...trouble, only: { model: call.model, mode: 'submit' } });
  }

  async #leave({ entry, own }: Through): Promise<void> {
    await this.#whole.leave(entry);
    await own?.gate.leave(own.entry);
  }

  #gateOf(model: AddressedModel): Gate {
    const key = modelHash(model);
    const gate = this.#models.get(key) ?? this.#newGate(this.#gates.modelGate(model), `submits of ${model.id}`);
    this.#models.set(key, gate);
    return gate;
  }

  #newGate(record: GateRecord, whose: string): Gate {
    return new Gate(record, () => lookAtGateway(this.#gateway, this.#knownTask), whose);
  }
}

/** The reason to hold back further submits; undefined if the error gives none. */
function troubleOf(error: GatewayError): Trouble | undefined {
  const { acceptance, message: reason } = error;
  if (acceptance === 'unclear') return { for: 'unclear', reason };
  const refusal = submitRefusal(error);
  // Other refusals concern this request, or tell the account to wait or to pay. The gateway works.
  return refusal === 'key' || refusal === 'down' ? { for: refusal, reason } : undefined;
}
