import { type WorkflowExecutionDescription, type WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { type PollActivities } from '../../contracts/activities';
import { awaitHeartbeat } from '../../contracts/gateway/await-heartbeat';
import { type QueuedTask } from '../../contracts/gateway/arbiter';
import { type LastReads } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';
import { ifFound } from './live-status';

/**
 * Troubles of a running production: failures of activities that are retried, and submits that wait for a lease. Only
 * Temporal knows the troubles, and when the running tasks were last found pending.
 */

/**
 * Least time between checks of a production. A check costs one call for the production, one for each rendering shot,
 * and up to two for the queue of leases. A trouble that is over by the next check need not be shown.
 */
const CHECK_EVERY_MS = 4_000;

/** Longest excerpt of a failure message, in characters. */
const MAX_CHARACTERS = 300;

/** Failure types that are no trouble: normal waits, and a hold, which the status shows anyway. */
const NO_TROUBLE: ReadonlySet<string> = new Set(['TaskPending', 'RunUnderWay', 'ProductionHeld']);

/** The activity that reads a task. */
const AWAIT_TASK: keyof PollActivities = 'awaitTask';

/** The key of the production's own trouble in `Troubles`. The other keys are ids of shots. */
const ITSELF = '';

/** The message of each trouble, by shot. */
type Troubles = ReadonlyMap<string, string>;

interface Found {
  readonly troubles: Troubles;
  readonly reads: LastReads;
}

interface Check extends Found {
  readonly atMs: number;
  /** Troubles of shots (or the production) that had a trouble at the previous check too. At the first check: all. */
  readonly lasting: Troubles;
}

/** The data about a running production that only Temporal has. */
export interface RunningTroubles {
  /** Adds the lasting troubles to a running production's status, as reasons of the production and of its shots. */
  addTo(status: ProductionStatus): Promise<ProductionStatus>;
  /** The last reads of the production's rendering shots, as of the last check. */
  lastReads(productionId: string): LastReads;
}

/** The workflows of a production and its shots, and the requests that wait for a lease. */
export interface TroubleSources {
  production(productionId: string): WorkflowHandle;
  shot(productionId: string, shotId: string): WorkflowHandle;
  queue(): Promise<readonly QueuedTask[]>;
}

export function createTroubles(handles: TroubleSources): RunningTroubles {
  const checks = new Map<string, Check>();

  async function find({ production, shots }: ProductionStatus): Promise<Found> {
    const rendering = shots.filter(({ state }) => state === 'rendering');
    const [queue, own, ...ofShots] = await Promise.all([
      rendering.length === 0 ? [] : handles.queue(),
      pendingActivities(handles.production(production)),
      ...rendering.map(async ({ id }) => [id, await pendingActivities(handles.shot(production, id))] as const),
    ]);
    const waitingSubmits = queue.filter((waiting) => waiting.production === production);
    const failures = [[ITSELF, own] as const, ...ofShots].map(([id, pending]) => [id, failureAmong(pending)] as const);
    return {
      troubles: new Map([
        ...waitingSubmits.map(({ shot, waitsFor }) => [shot, `waits to be sent: ${waitsFor}`] as const),
        ...failures.flatMap(([id, message]) => (message === undefined ? [] : [[id, triesAgain(message)] as const])),
      ]),
      reads: new Map(
        ofShots.flatMap(([id, pending]) => {
          const atMs = Math.max(...pending.map(pendingAtMs));
          return atMs > 0 ? [[id, { lastReadAt: new Date(atMs).toISOString() }] as const] : [];
        }),
      ),
    };
  }

  return {
    async addTo(status) {
      let check = checks.get(status.production);
      if (check === undefined || Date.now() - check.atMs >= CHECK_EVERY_MS) {
        const before = check?.troubles;
        const found = await find(status);
        const lasting =
          before === undefined ? found.troubles : new Map([...found.troubles].filter(([shot]) => before.has(shot)));
        check = { ...found, atMs: Date.now(), lasting };
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
    },
    lastReads: (productionId) => checks.get(productionId)?.reads ?? new Map(),
  };
}

/** When the activity last found its task pending; 0 if it never did, or if it does not read a task. */
function pendingAtMs({ activityType, heartbeatDetails }: PendingActivity): number {
  const [payload] = activityType?.name === AWAIT_TASK ? (heartbeatDetails?.payloads ?? []) : [];
  if (payload == null) return 0;
  return awaitHeartbeat(defaultPayloadConverter.fromPayload(payload)).pendingAtMs ?? 0;
}

function triesAgain(message: string): string {
  return `tries again: ${message}`;
}

/**
 * The message of the last failure that a retried activity of the workflow threw, cut to `MAX_CHARACTERS`; undefined if
 * there is none. Timeouts do not count. If several activities have failed, the result is the message of one of them.
 *
 * @param ignoredTypes failure types that do not count.
 */
export async function retriedFailure(
  workflow: WorkflowHandle,
  ignoredTypes: ReadonlySet<string>,
): Promise<string | undefined> {
  return failureAmong(await pendingActivities(workflow), ignoredTypes);
}

function failureAmong(activities: readonly PendingActivity[], ignoredTypes = NO_TROUBLE): string | undefined {
  const trouble = activities
    .map(({ lastFailure }) => lastFailure)
    .find(
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
