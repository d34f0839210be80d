import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dailies, dailiesOver } from '../client';
import { DRILL_ACCOUNT, setStage, type Stage } from '../drill/stage';
import { type WorkerProcess } from '../drill/worker-process';
import { cpuSeconds, residentMegabytes, secondsSince } from './process-use';

const LOOK_EVERY_MS = 500;

/** What the work took, from its first call to its last. */
export interface StageUse {
  readonly seconds: number;
  readonly workerCpuSeconds: number;
  readonly serverCpuSeconds: number;
  /** Of the process that holds this measurement and the sandbox. */
  readonly ownCpuSeconds: number;
  /** Highest resident memory of the worker. */
  readonly peakMegabytes: number;
}

/** Histories of all runs of a workflow. */
export interface HistoryUse {
  readonly histories: number;
  readonly events: number;
  readonly bytes: number;
  /** In one history. */
  readonly mostEvents: number;
  readonly mostBytes: number;
  readonly largestEventBytes: number;
}

/** Where a piece of work is measured: Temporal, a sandbox and one worker, each in a process of its own but the sandbox. */
export interface MeasuredStage extends Stage {
  readonly folder: string;
  readonly dailies: Dailies;
  readonly worker: WorkerProcess;
  use(work: () => Promise<unknown>): Promise<StageUse>;
  historyOf(workflowId: string): Promise<HistoryUse>;
}

/** Sets a stage in a folder of its own, and takes it down. With BENCH_PROFILE the worker leaves its V8 profile there. */
export async function onMeasuredStage<T>(measure: (stage: MeasuredStage) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'dailies-bench-'));
  const stage = await setStage(folder);
  const profile = process.env['BENCH_PROFILE'];
  const nodeOptions = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const worker = await stage.startWorker({ nodeOptions });
  const config = {
    account: DRILL_ACCOUNT,
    storeFolder: stage.store.folder,
    fileValues: 'auto',
    dataUriMaxBytes: 1_000_000,
  } as const;
  const { temporal, store } = stage;
  try {
    return await measure({
      ...stage,
      folder,
      worker,
      dailies: dailiesOver({ temporal, store, config }),
      use: (work) => use(stage, worker, work),
      historyOf: (workflowId) => historyOf(stage, workflowId),
    });
  } finally {
    worker.signal('SIGTERM');
    await worker.ended;
    await stage.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function use(stage: Stage, worker: WorkerProcess, work: () => Promise<unknown>): Promise<StageUse> {
  const server = await stage.temporalPid();
  const [workerBefore, serverBefore, ownBefore] = [
    await cpuSeconds(worker.pid),
    await cpuSeconds(server),
    process.cpuUsage(),
  ];
  const begunAt = performance.now();
  let peakMegabytes = 0;
  const look = async (): Promise<void> => {
    peakMegabytes = Math.max(peakMegabytes, await residentMegabytes(worker.pid));
  };
  const timer = setInterval(() => {
    look().catch(() => undefined);
  }, LOOK_EVERY_MS);
  try {
    await work();
    await look();
  } finally {
    clearInterval(timer);
  }
  const { user, system } = process.cpuUsage(ownBefore);
  return {
    seconds: secondsSince(begunAt),
    workerCpuSeconds: (await cpuSeconds(worker.pid)) - workerBefore,
    serverCpuSeconds: (await cpuSeconds(server)) - serverBefore,
    ownCpuSeconds: (user + system) / 1e6,
    peakMegabytes,
  };
}

async function historyOf({ temporal }: Stage, workflowId: string): Promise<HistoryUse> {
  const { workflow } = temporal.client;
  const found = { histories: 0, events: 0, bytes: 0, mostEvents: 0, mostBytes: 0, largestEventBytes: 0 };
  for await (const { runId } of workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
    const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
    const { historySize: bytes = 0 } = await workflow.getHandle(workflowId, runId).describe();
    const count = events?.length ?? 0;
    found.histories += 1;
    found.events += count;
    found.bytes += bytes;
    found.mostEvents = Math.max(found.mostEvents, count);
    found.mostBytes = Math.max(found.mostBytes, bytes);
    for (const event of events ?? []) {
      found.largestEventBytes = Math.max(found.largestEventBytes, JSON.stringify(event).length);
    }
  }
  return found;
}
