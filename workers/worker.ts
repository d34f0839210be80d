import { Client } from '@temporalio/client';
import { type ActivityDependencies, createActivities, createBackground, type DailiesActivities } from '../activities';
import { createArbiterLine } from '../client/temporal/arbiter-line';
import { currentBuild } from '../client/temporal/deployments';
import { DATA_CONVERTER } from '../client/temporal/large-payloads';
import { isServed } from '../client/temporal/pollers';
import { createLatestTakeLine, lackInWords, refuseStale } from '../client/temporal/latest-take';
import { createScheduleLine } from '../client/schedules/schedule-line';
import { registerSearchAttributes } from '../client/temporal/search-attributes';
import { type LatestTake } from '../contracts/gateway/latest-take';
import { activityQueues, workflowQueue } from '../contracts/task-queues';
import { SUBMIT_TOTAL_MS } from '../gateway';
import { accountHash, StoreError } from '../store';
import { startArchiving } from './archive-histories';
import { SANDBOX_ACCOUNT } from './config/config';
import { versioningOptions, type WorkerDeployment } from './config/deployment';
import { startSweeping } from './sweep';
import { WorkerGroup } from './worker-group';
import {
  loadWorkerPackage,
  type NativeConnection,
  type WorkerOptions,
  type WorkflowBundleOption,
} from './worker-package';

/** Limits memory. A workflow that is not cached costs only the replay of its short history. */
const CACHED_WORKFLOWS = 100;

/** How long workflows of a lost worker wait before another worker takes them. */
const STICKY_TIMEOUT = '2 seconds';

/** Time for a submit in flight when a worker stops: its request, and recording its answer. */
const SUBMIT_GRACE_MS = SUBMIT_TOTAL_MS + 10_000;

/**
 * Limits all activities on the workflow queue: decisions, schedules, batches and `ownActivities`. Decisions are few,
 * and a person may wait for them.
 */
const DECISIONS_AT_ONCE = 10;
/** Submits are few and short. If there are many, the gateway throttles them. */
const SUBMITS_AT_ONCE = 20;
/** Reads of tasks. Most of them wait for the gateway's answer. */
const POLLS_AT_ONCE = 200;
/** Downloads and work with ffmpeg; `runFfmpeg` limits its processes to one per core. */
const MEDIA_AT_ONCE = 16;
/** Notices are few, and each attempt is short. */
const NOTICES_AT_ONCE = 10;

export interface DailiesWorkerOptions {
  /** The caller opens and closes this connection. */
  readonly connection: NativeConnection;
  readonly namespace: string;
  /** Dailies' own bundle, or a bundle that also has your workflows. */
  readonly workflowBundle: WorkflowBundleOption;
  readonly activities: Omit<ActivityDependencies, 'heartbeatNow'>;
  /**
   * For a worker with your own workflows: a name for its queues, so that other workers do not take its work.
   * Dailies' own workers must run too. They keep the record of the account's latest take up to date. If limits are set
   * or the gateway throttles, they also run the account's arbiter.
   */
  readonly name?: string;
  /** Your own activities for the workflow queue, with names that no Dailies activity has on that queue. */
  readonly ownActivities?: object;
  /** Absent: the worker is unversioned. */
  readonly deployment?: WorkerDeployment;
  /** Receives notices for a person, for example that search attributes cannot be registered. */
  readonly onNotice: (line: string) => void;
}

export interface DailiesWorker {
  /**
   * Resolves when the worker has ended after `stop`. Rejects if the worker cannot continue, or if its store lacks the
   * take that was last sent.
   */
  readonly ended: Promise<void>;
  /** Takes no new work, finishes submits in flight, and hands back the rest. */
  readonly stop: () => void;
}

/**
 * Starts the workers of one account and one store on an open connection.
 *
 * @throws WorkerPackageMissing; StoreError if the store is a copy, or lacks the take that was last sent; Error if a
 *   name in `ownActivities` is taken by Dailies.
 */
export async function startWorkerOn(options: DailiesWorkerOptions): Promise<DailiesWorker> {
  const { connection, namespace, name, onNotice } = options;
  const { account, store } = options.activities;
  await store.refuseCopy();
  const refusal = await registerSearchAttributes(connection, namespace);
  if (refusal !== undefined) onNotice(`search attributes cannot be registered, going on without them: ${refusal}`);

  const queue = workflowQueue({ account: accountHash(account), storeId: store.id }, name);
  const temporal = new Client({ connection, namespace, dataConverter: DATA_CONVERTER });
  await refuseStale({ temporal, store, account });
  await noticeMissingArbiter(options, queue);
  const group = new WorkerGroup();
  const backgrounds = { background: createBackground(), rendering: createBackground() };
  const stopBackgrounds = () => Promise.all([backgrounds.background.stop(), backgrounds.rendering.stop()]);
  const planned = plannedWorkers(options, queue, connectActivities({ options, temporal, group, backgrounds }));
  await noticeOtherBuild(options);
  const { Worker } = await loadWorkerPackage();
  try {
    for (const worker of planned) group.add(await Worker.create(worker));
  } catch (error) {
    await group.endCreated();
    await stopBackgrounds();
    throw error;
  }
  const running = group.run();
  const sweeping = startSweeping(store, onNotice);
  const archiving = startArchiving({ connection, namespace, store, taskQueue: queue, onNotice });
  const ended = running.finally(() => {
    sweeping.stop();
    return Promise.all([archiving.stop(), stopBackgrounds()]);
  });
  const stop = (): void => {
    group.stop();
  };
  return { ended, stop };
}

async function noticeMissingArbiter(options: DailiesWorkerOptions, queue: string): Promise<void> {
  const { connection, namespace, onNotice } = options;
  const { account, store } = options.activities;
  const own = workflowQueue({ account: accountHash(account), storeId: store.id });
  if (queue !== own && !(await isServed(connection, namespace, own))) onNotice(NO_ARBITER);
}

interface Connected {
  readonly options: DailiesWorkerOptions;
  readonly temporal: Client;
  readonly group: WorkerGroup;
  readonly backgrounds: Required<Pick<ActivityDependencies, 'background' | 'rendering'>>;
}

/** Connects the activities to Temporal. An activity stops the group if the store lacks the take that was last sent. */
function connectActivities({ options, temporal, group, backgrounds }: Connected): DailiesActivities {
  const { account, store } = options.activities;
  const fence =
    account === SANDBOX_ACCOUNT
      ? {}
      : {
          latestTake: createLatestTakeLine({ temporal, store, account }),
          onStale: (latest: LatestTake) => {
            group.stopBecause(new StoreError(lackInWords(store.name, latest)));
          },
        };
  return createActivities({
    arbiter: createArbiterLine({ temporal, store, account }),
    schedules: createScheduleLine({ temporal, store }),
    onNotice: options.onNotice,
    ...backgrounds,
    ...fence,
    ...options.activities,
    heartbeatNow: (taskToken) => temporal.activity.heartbeat(taskToken),
  });
}

/** The workers of all queues, in the order of their creation. @throws Error if a name in `ownActivities` is taken. */
function plannedWorkers(
  options: DailiesWorkerOptions,
  queue: string,
  activities: DailiesActivities,
): readonly WorkerOptions[] {
  const { connection, namespace, workflowBundle, deployment, ownActivities = {} } = options;
  const queues = activityQueues(queue);
  const ofWorkflows = { ...activities.decisions, ...activities.schedules, ...activities.batches };
  checkNames(ownActivities, ofWorkflows);
  // If a creation fails, the earlier workers run for a moment (`endCreated`), so the worker that pays comes last. The
  // first creation fails if the namespace is missing, the second if the bundle is missing.
  const planned: readonly WorkerOptions[] = [
    {
      taskQueue: queues.notices,
      activities: activities.notices,
      maxConcurrentActivityTaskExecutions: NOTICES_AT_ONCE,
    },
    {
      taskQueue: queue,
      workflowBundle,
      activities: { ...ownActivities, ...ofWorkflows },
      maxConcurrentActivityTaskExecutions: DECISIONS_AT_ONCE,
      maxCachedWorkflows: CACHED_WORKFLOWS,
      stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
    },
    {
      taskQueue: queues.polls,
      activities: activities.polls,
      maxConcurrentActivityTaskExecutions: POLLS_AT_ONCE,
    },
    {
      taskQueue: queues.media,
      activities: activities.media,
      maxConcurrentActivityTaskExecutions: MEDIA_AT_ONCE,
    },
    {
      taskQueue: queues.submits,
      activities: activities.submits,
      maxConcurrentActivityTaskExecutions: SUBMITS_AT_ONCE,
      shutdownGraceTime: SUBMIT_GRACE_MS,
    },
  ];
  const common = { connection, namespace, dataConverter: DATA_CONVERTER, ...versioningOptions(deployment) };
  return planned.map((own) => ({ ...common, ...own }));
}

async function noticeOtherBuild({ connection, namespace, deployment, onNotice }: DailiesWorkerOptions): Promise<void> {
  if (deployment === undefined) return;
  const current = await currentBuild(connection, namespace, deployment.name);
  if (current !== deployment.buildId) onNotice(notCurrent(deployment, current));
}

function checkNames(own: object, taken: object): void {
  const both = Object.keys(own).filter((name) => Object.hasOwn(taken, name));
  if (both.length === 0) return;
  throw new Error(`ownActivities has ${both.join(', ')}, which Dailies has itself; give them other names`);
}

/** The notice of a named worker if no unnamed Dailies worker serves its account and store. */
const NO_ARBITER =
  "no Dailies worker without a name serves this account and store yet. Such a worker runs the account's arbiter: if limits " +
  'are set or the gateway throttles, nothing is sent without it. Start one with `dailies worker`';

function notCurrent({ name, buildId }: WorkerDeployment, current = 'none'): string {
  return (
    `build ${buildId} is not the current build of deployment "${name}" (current: ${current}): ` +
    'it gets no new work until `dailies deploy` makes it current'
  );
}
