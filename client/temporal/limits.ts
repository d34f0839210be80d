import {
  type Client,
  ServiceError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { type ArbiterView } from '../../contracts/arbiter';
import { arbiterWorkflowId } from '../../contracts/identifiers';
import { LimitSet, type Limits } from '../../contracts/limits';
import { knownModel } from '../../contracts/models';
import { workflowQueue } from '../../contracts/task-queues';
import { accountHash, createAccountLimits, type Store } from '../../store';
import { arbiterViewQuery, limitsChangedUpdate } from '../../workflows/messages';
import { Refused } from '../wording/refused';
import { takenUpdate } from './taken-update';

/** A change to the limits of an account or a model. Null removes a limit; absent ones stay. */
export type LimitChange = { readonly [Name in keyof typeof LIMITS]?: number | null | undefined };

export const LIMITS = {
  inFlight: true,
  perSecond: true,
  perMinute: true,
  creditsPerDay: true,
} as const satisfies Partial<Record<keyof LimitSet, true>>;

export type SetLimits = Pick<Limits, 'account' | 'models'>;

/**
 * Changes the limits of an account, or of one of its models. They apply to all later submits. A running arbiter learns
 * of them from `ArbiterHandle.limitsChanged`, or else from the next request for a lease.
 */
async function changeLimits(
  { records }: Pick<Store, 'records'>,
  account: string,
  { model, change }: { readonly model?: string; readonly change: LimitChange },
): Promise<SetLimits> {
  checkChange(change);
  const limits = createAccountLimits(records, account);
  const { account: own, models } = await limits.read();
  const changed =
    model === undefined
      ? { account: changedSet(own, change), models }
      : { account: own, models: { ...models, [model]: changedSet(models[model] ?? {}, change) } };
  await limits.write(changed);
  return limits.read();
}

/** A change to the limits of the account, or of one of its models. */
export interface LimitRequest extends LimitChange {
  /** Id or title of the model. */
  readonly model?: string;
}

/** An account's limits, and what it has used. */
export interface AccountLimitsView extends SetLimits {
  /** The number in flight that the arbiter has learned from the gateway's throttling; null if none. */
  readonly learnedInFlight: number | null;
  /** Null if the arbiter cannot be asked. */
  readonly spentToday: number | null;
}

/**
 * Shows the limits of an account. Applies a change first, and tells the arbiter of it.
 *
 * @param arbiter undefined if no worker is running.
 */
export async function limitsView(
  store: Pick<Store, 'records'>,
  account: string,
  arbiter: ArbiterHandle | undefined,
  { model: name, ...options }: LimitRequest = {},
): Promise<{ readonly limits: AccountLimitsView; readonly now: ArbiterView | undefined }> {
  const change: LimitChange = Object.fromEntries(
    Object.keys(LIMITS).map((limit) => [limit, options[limit as keyof typeof LIMITS]]),
  );
  const isChange = Object.values(change).some((value) => value !== undefined);
  const model = name === undefined ? undefined : (knownModel(name)?.id ?? name);
  const standing = await (isChange
    ? changeLimits(store, account, { change, ...(model === undefined ? {} : { model }) })
    : createAccountLimits(store.records, account).read());
  const now = await (isChange ? arbiter?.limitsChanged() : arbiter?.view());
  const limits = { ...standing, learnedInFlight: now?.learnedInFlight ?? null, spentToday: now?.spentToday ?? null };
  return { limits, now };
}

/** The arbiter's state. `trouble` is why it cannot learn what is in flight; null if it can. */
export interface ArbiterStanding extends ArbiterView {
  readonly trouble: string | null;
}

/** The requests that wait for a lease, and what they wait for. */
export type QueueView = Pick<
  ArbiterStanding,
  | 'inFlight'
  | 'inFlightByModel'
  | 'closedUntil'
  | 'learnedInFlight'
  | 'waiting'
  | 'isLearning'
  | 'asking'
  | 'unreadable'
  | 'trouble'
>;

/** @param view undefined if no arbiter is running, so that nothing waits. */
export function queueView(view: ArbiterStanding | undefined): QueueView {
  const { inFlight = 0, inFlightByModel = {}, closedUntil = null, learnedInFlight = null, waiting = [] } = view ?? {};
  const { isLearning = false, asking = 0, unreadable = [], trouble = null } = view ?? {};
  const learning = { isLearning, asking, unreadable, trouble };
  return { inFlight, inFlightByModel, closedUntil, learnedInFlight, waiting, ...learning };
}

/** A worker answers within about 10 ms. */
const ANSWER_LIMIT_MS = 2_000;

/** An account's arbiter. Methods return undefined if it is not running or was never needed. */
export interface ArbiterHandle {
  /** Needs a worker. */
  view(): Promise<ArbiterStanding | undefined>;
  /** What waits for a lease; empty if the arbiter does not answer in time. */
  waiting(): Promise<ArbiterView['waiting']>;
  /** Makes the arbiter read the limits again. Needs a worker. */
  limitsChanged(): Promise<ArbiterView | undefined>;
}

export function createArbiterHandle(temporal: Client, store: Pick<Store, 'id'>, account: string): ArbiterHandle {
  const queue = workflowQueue({ account: accountHash(account), storeId: store.id });
  const handle = temporal.workflow.getHandle(arbiterWorkflowId(queue));
  const running = async (): Promise<WorkflowExecutionDescription | undefined> => {
    try {
      const found = await handle.describe();
      return found.status.name === 'RUNNING' ? found : undefined;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  };
  return {
    async view() {
      const found = await running();
      if (found === undefined) return undefined;
      const failed = found.raw.pendingActivities?.find(({ lastFailure }) => lastFailure != null);
      const view = await handle.query(arbiterViewQuery, Date.now());
      return { ...view, trouble: failed?.lastFailure?.message ?? null };
    },
    async waiting() {
      try {
        const view = await temporal.withDeadline(Date.now() + ANSWER_LIMIT_MS, async () =>
          (await running()) === undefined ? undefined : handle.query(arbiterViewQuery, Date.now()),
        );
        return view?.waiting ?? [];
      } catch (error) {
        if (error instanceof ServiceError) return [];
        throw error;
      }
    },
    async limitsChanged() {
      if ((await running()) === undefined) return undefined;
      try {
        return await takenUpdate(() => handle.executeUpdate(limitsChangedUpdate));
      } catch (error) {
        // It has ended, or its next run has begun, which reads the limits itself.
        if (error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError) return undefined;
        throw error;
      }
    },
  };
}

function checkChange(change: LimitChange): void {
  for (const [name, value] of Object.entries(change)) {
    if (value == null || LimitSet.safeParse({ [name]: value }).success) continue;
    throw new Refused(`${name} is ${String(value)}; a limit is a positive number, or null for none`);
  }
}

function changedSet(before: LimitSet, change: LimitChange): LimitSet {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    Object.entries({ ...before, ...Object.fromEntries(given) }).filter(([, value]) => value != null),
  );
}
