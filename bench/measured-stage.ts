import { setTimeout as sleep } from 'node:timers/promises';
import { type Dailies, dailiesOver } from '../client';
import { DRILL_ACCOUNT, type Stage } from '../drill/stage';
import { type WorkerProcess } from '../drill/worker-process';
import { onOwnStage } from './own-folder';
import { cpuSeconds, residentMegabytes, secondsSince } from './process-use';

const LOOK_EVERY_MS = 500;

/** Normally, Temporal's index of closed workflows lags by much less than this. */
const INDEXED_WITHIN_MS = 60_000;

const OPEN = 'ExecutionStatus = "Running"';

/** Time, CPU and memory of the work, from its start to its end. */
export interface StageUse {
  readonly seconds: number;
  readonly workerCpuSeconds: number;
  readonly serverCpuSeconds: number;
  /** CPU time of the process that runs this measurement and the sandbox. */
  readonly ownCpuSeconds: number;
  /** Highest memory of the worker. */
  readonly peakMegabytes: number;
  readonly serverPeakMegabytes: number;
}

/** Number and size of the histories of all workflow runs on the stage. */
export interface HistoryUse {
  readonly histories: number;
  readonly events: number;
  readonly bytes: number;
  /** The most events in one run of the measured workflow, without its children. */
  readonly mostEvents: number;
  readonly mostBytes: number;
  /** Length, as JSON, of the measured workflow's largest event. */
  readonly largestEventBytes: number;
}

/** Temporal and a worker in separate processes, and the sandbox in this process. */
export interface MeasuredStage extends Stage {
  readonly folder: string;
  readonly dailies: Dailies;
  readonly worker: WorkerProcess;
  use(work: () => Promise<unknown>): Promise<StageUse>;
  /**
   * Waits until all workflows of this stage have closed, and measures their histories.
   *
   * @param workflowId the measured workflow. No other production or batch may have run on this stage.
   * @param children the minimum number of its child workflows.
   * @throws Error if, after a minute, a workflow is still open or is missing from Temporal's index.
   */
  historyOf(workflowId: string, children: number): Promise<HistoryUse>;
}

/**
 * Runs `measure` on a stage in a new folder, then removes stage and folder. If BENCH_PROFILE names a folder, the worker
 * writes its V8 CPU profile there.
 */
export function onMeasuredStage<T>(measure: (stage: MeasuredStage) => Promise<T>): Promise<T> {
  return onOwnStage({}, async (stage, folder) => {
    const profile = process.env['BENCH_PROFILE'];
    const nodeOptions = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
    const worker = await stage.startWorker({ nodeOptions });
    try {
      const { temporal, store } = stage;
      const config = {
        account: DRILL_ACCOUNT,
        storeFolder: store.folder,
        fileValues: 'auto',
        dataUriMaxBytes: 1_000_000,
      } as const;
      return await measure({
        ...stage,
        folder,
        worker,
        dailies: dailiesOver({ temporal, store, config }),
        use: (work) => use(stage, worker, work),
        historyOf: (workflowId, children) => historyOf(stage, workflowId, children),
      });
    } finally {
      worker.signal('SIGTERM');
      await worker.ended;
    }
  });
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
  let serverPeakMegabytes = 0;
  const look = async (): Promise<void> => {
    peakMegabytes = Math.max(peakMegabytes, await residentMegabytes(worker.pid));
    serverPeakMegabytes = Math.max(serverPeakMegabytes, await residentMegabytes(server));
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
    serverPeakMegabytes,
  };
}

/** A closed workflow run, as Temporal's index lists it. */
interface ClosedRun {
  readonly workflowId: string;
  readonly runId: string;
  readonly historyLength: number;
  readonly historySize?: number;
}

async function historyOf(stage: Stage, workflowId: string, children: number): Promise<HistoryUse> {
  const { workflow } = stage.temporal.client;
  const found = { histories: 0, events: 0, bytes: 0, mostEvents: 0, mostBytes: 0, largestEventBytes: 0 };
  for (const { workflowId: id, runId, historyLength, historySize = 0 } of await allClosed(stage, 1 + children)) {
    found.histories += 1;
    found.events += historyLength;
    found.bytes += historySize;
    if (id !== workflowId) continue;
    found.mostEvents = Math.max(found.mostEvents, historyLength);
    found.mostBytes = Math.max(found.mostBytes, historySize);
    const { events } = await workflow.getHandle(id, runId).fetchHistory();
    for (const event of events ?? []) {
      found.largestEventBytes = Math.max(found.largestEventBytes, JSON.stringify(event).length);
    }
  }
  return found;
}

/**
 * Waits until all workflows have closed, and lists their runs. Until a run closes, the index lacks the length of its
 * history.
 *
 * @throws Error if, after a minute, a workflow is still open or the index has fewer than `atLeast` runs.
 */
async function allClosed({ temporal }: Stage, atLeast: number): Promise<readonly ClosedRun[]> {
  const { workflow } = temporal.client;
  const begunAt = Date.now();
  for (;;) {
    const [{ count: all }, { count: open }] = [await workflow.count(), await workflow.count(OPEN)];
    if (open === 0 && all >= atLeast) break;
    if (Date.now() - begunAt > INDEXED_WITHIN_MS) {
      throw new Error(`Temporal's index has ${all} of at least ${atLeast} workflows, ${open} of them open`);
    }
    await sleep(LOOK_EVERY_MS);
  }
  const closed: ClosedRun[] = [];
  for await (const run of workflow.list()) closed.push(run);
  return closed;
}
