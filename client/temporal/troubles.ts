import { type WorkflowExecutionDescription, type WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { type PollActivities } from '../../contracts/activities';
import { type AwaitHeartbeat, awaitHeartbeat } from '../../contracts/gateway/await-heartbeat';
import { type QueuedTask } from '../../contracts/gateway/arbiter';
import { type ProductionStatus } from '../../contracts/status';
import { ifFound } from './live-status';

/**
 * Troubles of a running production: failures of activities that are retried, and submits that wait for a lease. Only
 * Temporal knows them.
 */

/**
 * Interval between checks of a production. A check costs one call for the production, one for each rendering shot, and
 * one for the queue of leases. A trouble that is over by the next check need not be shown.
 */
const CHECK_EVERY_MS = 4_000;

/** Longest excerpt of a failure message, in characters: one line of a display. */
const MAX_CHARACTERS = 300;

/** Failure types that are no trouble: normal waits, and a hold, which the production reports itself. */
const NO_TROUBLE: ReadonlySet<string> = new Set(['TaskPending', 'RunUnderWay', 'ProductionHeld']);

/** The activity that reads a task. */
const AWAIT_TASK: keyof PollActivities = 'awaitTask';

/** The key of the production's own trouble in `Troubles`. The other keys are ids of shots. */
const ITSELF = '';

/** The message of each trouble, by shot. */
type Troubles = ReadonlyMap<string, string>;

interface Check {
  readonly atMs: number;
  readonly found: Troubles;
  /** Troubles of the shots (or production) that had a trouble at the previous check too. At the first check: all. */
  readonly lasting: Troubles;
}

/** Adds the troubles to a running production's status, as reasons of the production and of its shots. */
export type AddTroubles = (status: ProductionStatus) => Promise<ProductionStatus>;

/** The workflows of a production and its shots, and the requests that wait for a lease. */
export interface TroubleSources {
  production(productionId: string): WorkflowHandle;
  shot(productionId: string, shotId: string): WorkflowHandle;
  queue(): Promise<readonly QueuedTask[]>;
}

export function createAddTroubles(handles: TroubleSources): AddTroubles {
  const checks = new Map<string, Check>();

  async function findTroubles({ production, shots }: ProductionStatus): Promise<Troubles> {
    const rendering = shots.filter(({ state }) => state === 'rendering');
    const [queue, ...found] = await Promise.all([
      rendering.length === 0 ? [] : handles.queue(),
      retriedFailure(handles.production(production)).then((message) => [ITSELF, message] as const),
      ...rendering.map(async ({ id }) => [id, await retriedFailure(handles.shot(production, id))] as const),
    ]);
    const waitingSubmits = queue.filter((waiting) => waiting.production === production);
    return new Map([
      ...waitingSubmits.map(({ shot, waitsFor }) => [shot, `waits to be sent: ${waitsFor}`] as const),
      ...found.flatMap(([id, message]) => (message === undefined ? [] : [[id, triesAgain(message)] as const])),
    ]);
  }

  return async (status) => {
    let check = checks.get(status.production);
    if (check === undefined || Date.now() - check.atMs >= CHECK_EVERY_MS) {
      const before = check?.found;
      const found = await findTroubles(status);
      const lasting = before === undefined ? found : new Map([...found].filter(([shot]) => before.has(shot)));
      check = { atMs: Date.now(), found, lasting };
      checks.set(status.production, check);
    }
    const { lasting } = check;
    const ownMessage = lasting.get(ITSELF);
    return {
      ...status,
      reason: status.reason ?? ownMessage ?? null,
      shots: status.shots.map((shot) => {
        const message = shot.state === 'rendering' ? lasting.get(shot.id) : undefined;
        return message === undefined ? shot : { ...shot, reason: message };
      }),
    };
  };
}

/**
 * When each rendering shot's task was last found pending, in ISO 8601 by the worker's clock, by the shot's id. Shots
 * whose tasks were not read yet are left out.
 */
export async function lastReads(
  { production, shots }: Pick<ProductionStatus, 'production' | 'shots'>,
  handleOf: TroubleSources['shot'],
): Promise<ReadonlyMap<string, string>> {
  const rendering = shots.filter(({ state }) => state === 'rendering');
  const found = await Promise.all(
    rendering.map(async ({ id }) => {
      const activities = await pendingActivities(handleOf(production, id));
      const readsMs = activities.map((activity) => heartbeatOf(activity).pendingAtMs ?? 0);
      return [id, Math.max(0, ...readsMs)] as const;
    }),
  );
  return new Map(found.flatMap(([id, ms]) => (ms === 0 ? [] : [[id, new Date(ms).toISOString()] as const])));
}

function heartbeatOf({ activityType, heartbeatDetails }: PendingActivity): AwaitHeartbeat {
  const [payload] = activityType?.name === AWAIT_TASK ? (heartbeatDetails?.payloads ?? []) : [];
  return awaitHeartbeat(payload == null ? undefined : defaultPayloadConverter.fromPayload(payload));
}

function triesAgain(message: string): string {
  return `tries again: ${message}`;
}

/**
 * The last failure that a retried activity of the workflow threw; undefined if there is none. Timeouts do not count. If
 * several activities have failed, the result is the failure of one of them.
 *
 * @param ignoredTypes failure types that do not count.
 */
export async function retriedFailure(
  workflow: WorkflowHandle,
  ignoredTypes: ReadonlySet<string> = NO_TROUBLE,
): Promise<string | undefined> {
  const failures = (await pendingActivities(workflow)).map(({ lastFailure }) => lastFailure);
  const trouble = failures.find(
    (failure) =>
      failure?.applicationFailureInfo != null && !ignoredTypes.has(failure.applicationFailureInfo.type ?? ''),
  );
  return trouble?.message?.slice(0, MAX_CHARACTERS);
}

type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

async function pendingActivities(workflow: WorkflowHandle): Promise<readonly PendingActivity[]> {
  // A production reports a shot as started shortly before Temporal has the shot's workflow.
  return (await ifFound(workflow.describe()))?.raw.pendingActivities ?? [];
}
