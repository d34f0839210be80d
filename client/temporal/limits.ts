import {
  type Client,
  ServiceError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { type ArbiterView } from '../../contracts/gateway/arbiter';
import { arbiterWorkflowId } from '../../contracts/identifiers';
import { LimitSet, type Limits } from '../../contracts/gateway/limits';
import { knownModel } from '../../contracts/gateway/models';
import { workflowQueue } from '../../contracts/task-queues';
import { accountHash, type Store } from '../../store';
import { arbiterViewQuery, limitsChangedUpdate } from '../../workflows/messages';
import { Refused } from '../wording/refused';
import { retryUpdate } from './retry-update';

/** A change to the limits of an account or a model. Null removes a limit; an absent limit stays. */
export type LimitChange = { readonly [Name in keyof typeof LIMITS]?: number | null | undefined };

/** Names of all limits. */
export const LIMITS = {
  inFlight: true,
  perSecond: true,
  perMinute: true,
  creditsPerDay: true,
} as const satisfies Partial<Record<keyof LimitSet, true>>;

export type LimitSettings = Pick<Limits, 'account' | 'models'>;

/**
 * Changes the limits of an account, or of one of its models, for all later submits. If the arbiter (the workflow that
 * grants submits) runs, it reads them when `ArbiterHandle.limitsChanged` is called, or else at the next lease request.
 *
 * @throws Refused for an invalid limit.
 */
async function changeLimits(
  store: Pick<Store, 'account'>,
  account: string,
  { model, change }: { readonly model?: string; readonly change: LimitChange },
): Promise<LimitSettings> {
  checkChange(change);
  return store
    .account(account)
    .limits.change(({ account: own, models }) =>
      model === undefined
        ? { account: changedSet(own, change), models }
        : { account: own, models: { ...models, [model]: changedSet(models[model] ?? {}, change) } },
    );
}

/** A change to the limits of the account, or of one of its models. */
export interface LimitRequest extends LimitChange {
  /** Id, title or workflow name of the model. */
  readonly model?: string;
}

/** An account's limits and their use. */
export interface AccountLimitsView extends LimitSettings {
  /** The limit of tasks in flight that the arbiter derived from throttling; null if none, or if no arbiter runs. */
  readonly learnedInFlight: number | null;
  /** Credits; null if no arbiter runs. */
  readonly spentToday: number | null;
}

/**
 * Changes an account's limits, and makes the arbiter read them. A request without limits only reads.
 *
 * @param arbiter undefined if no worker is running.
 * @returns the account's limits and their use, and the arbiter's state `now`; undefined if no worker or arbiter runs.
 * @throws Refused for an invalid limit.
 */
export async function applyLimitRequest(
  store: Pick<Store, 'account'>,
  account: string,
  arbiter: ArbiterHandle | undefined,
  { model: name, ...options }: LimitRequest = {},
): Promise<{ readonly limits: AccountLimitsView; readonly now: ArbiterView | undefined }> {
  const change: LimitChange = Object.fromEntries(
    Object.keys(LIMITS).map((limit) => [limit, options[limit as keyof typeof LIMITS]]),
  );
  const isChange = Object.values(change).some((value) => value !== undefined);
  const model = name === undefined ? undefined : (knownModel(name)?.id ?? name);
  const settings = await (isChange
    ? changeLimits(store, account, { change, ...(model === undefined ? {} : { model }) })
    : store.account(account).limits.read());
  const now = await (isChange ? arbiter?.limitsChanged() : arbiter?.view());
  const limits = { ...settings, learnedInFlight: now?.learnedInFlight ?? null, spentToday: now?.spentToday ?? null };
  return { limits, now };
}

/** The arbiter's state. `trouble` is the last failure of an activity that is being retried; null if there is none. */
export interface ArbiterStatus extends ArbiterView {
  readonly trouble: string | null;
}

/** The requests that wait for a lease, and the reasons. Without a worker it is not known what waits. */
export type QueueView = { readonly hasWorker: boolean } & Pick<
  ArbiterStatus,
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

/** @param view undefined if no arbiter is running. If a worker runs but no arbiter, nothing waits. */
export function queueView(hasWorker: boolean, view: ArbiterStatus | undefined): QueueView {
  const { inFlight = 0, inFlightByModel = {}, closedUntil = null, learnedInFlight = null, waiting = [] } = view ?? {};
  const { isLearning = false, asking = 0, unreadable = [], trouble = null } = view ?? {};
  const learning = { isLearning, asking, unreadable, trouble };
  return { hasWorker, inFlight, inFlightByModel, closedUntil, learnedInFlight, waiting, ...learning };
}

/** Time limit for the arbiter's answer to a query. A running worker answers within about 10 ms. */
const ANSWER_LIMIT_MS = 2_000;

/** The arbiter of an account. `view` and `limitsChanged` return undefined if the arbiter is not running. */
export interface ArbiterHandle {
  /** Needs a worker. */
  view(): Promise<ArbiterStatus | undefined>;
  /** The requests that wait for a lease; empty if the arbiter is not running or does not answer in time. */
  waiting(): Promise<ArbiterView['waiting']>;
  /** Makes the arbiter read the limits again. Needs a worker. */
  limitsChanged(): Promise<ArbiterView | undefined>;
}

export function createArbiterHandle(temporal: Client, store: Pick<Store, 'id'>, account: string): ArbiterHandle {
  const queue = workflowQueue({ account: accountHash(account), storeId: store.id });
  const handle = temporal.workflow.getHandle(arbiterWorkflowId(queue));
  const describeIfRunning = async (): Promise<WorkflowExecutionDescription | undefined> => {
    try {
      const description = await handle.describe();
      return description.status.name === 'RUNNING' ? description : undefined;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  };
  return {
    async view() {
      const description = await describeIfRunning();
      if (description === undefined) return undefined;
      const failed = description.raw.pendingActivities?.find(({ lastFailure }) => lastFailure != null);
      const view = await handle.query(arbiterViewQuery, Date.now());
      return { ...view, trouble: failed?.lastFailure?.message ?? null };
    },
    async waiting() {
      try {
        const view = await temporal.withDeadline(Date.now() + ANSWER_LIMIT_MS, async () =>
          (await describeIfRunning()) === undefined ? undefined : handle.query(arbiterViewQuery, Date.now()),
        );
        return view?.waiting ?? [];
      } catch (error) {
        if (error instanceof ServiceError) return [];
        throw error;
      }
    },
    async limitsChanged() {
      if ((await describeIfRunning()) === undefined) return undefined;
      try {
        return await retryUpdate(() => handle.executeUpdate(limitsChangedUpdate));
      } catch (error) {
        // The arbiter has ended or continues as new. The next run of the arbiter reads the limits when it begins.
        if (error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError) return undefined;
        throw error;
      }
    },
  };
}

function checkChange(change: LimitChange): void {
  for (const [name, value] of Object.entries(change)) {
    if (value == null || LimitSet.safeParse({ [name]: value }).success) continue;
    throw new Refused(
      `${name} cannot be ${String(value)}: inFlight and perMinute are whole numbers from 1, perSecond is above 0, ` +
        'creditsPerDay is 0 or more; null removes a limit',
    );
  }
}

function changedSet(before: LimitSet, change: LimitChange): LimitSet {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    Object.entries({ ...before, ...Object.fromEntries(given) }).filter(([, value]) => value != null),
  );
}
