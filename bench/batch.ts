import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkBatch } from '../client/batch';
import { batchWorkflowId } from '../contracts/identifiers';
import { DRILL_ACCOUNT, DRILL_KEY, setStage, type Stage } from '../drill/stage';
import { startWorkerProcess } from '../drill/worker-process';

const LOOK_EVERY_MS = 500;

/** Linux counts a process's CPU time in hundredths of a second. */
const TICKS_A_SECOND = 100;

/** The rows after which a worker's memory is to stay as it is. */
const WARM_ROWS = 500;

export interface BatchMeasure {
  readonly rows: number;
  readonly completed: number;
  /** From the start of the check to the first submit that the gateway accepted. */
  readonly firstSubmitSeconds: number;
  readonly seconds: number;
  readonly workerCpuSeconds: number;
  readonly serverCpuSeconds: number;
  /** Of the process that holds this measurement and the sandbox. */
  readonly ownCpuSeconds: number;
  /** Highest resident memory of the worker, in megabytes, up to the first 500 rows and after them. */
  readonly peakMegabytes: { readonly before: number; readonly after: number };
  readonly histories: number;
  readonly mostEvents: number;
  readonly mostBytes: number;
  readonly largestEventBytes: number;
}

/** Renders a batch of single tasks that need no ffmpeg, by one worker, and looks at what that takes. */
export async function measureBatch({ rows, parallel }: { rows: number; parallel: number }): Promise<BatchMeasure> {
  const folder = await mkdtemp(join(tmpdir(), 'dailies-bench-'));
  const stage = await setStage(folder);
  const profile = process.env['BENCH_PROFILE'];
  const worker = await startWorkerProcess({
    temporalAddress: stage.temporalAddress,
    gatewayUrl: stage.sandbox.url,
    gatewayKey: DRILL_KEY,
    account: DRILL_ACCOUNT,
    storeFolder: stage.store.folder,
    pollFloorMs: 250,
    ...(profile === undefined ? {} : { nodeOptions: ['--cpu-prof', `--cpu-prof-dir=${profile}`] }),
  });
  try {
    const serverPid = await stage.temporalPid();
    const [serverBefore, workerBefore, ownBefore] = [
      await cpuSeconds(serverPid),
      await cpuSeconds(worker.pid),
      process.cpuUsage(),
    ];
    const begunAt = performance.now();
    await begin(stage, folder, rows, parallel);
    const peak = { before: 0, after: 0 };
    let firstSubmitSeconds = NaN;
    for (;;) {
      const live = await stage.client.batches.live('bench');
      const accepted = stage.sandbox.tasks().length;
      if (accepted > 0 && Number.isNaN(firstSubmitSeconds)) firstSubmitSeconds = secondsSince(begunAt);
      const part = (live.status?.counts.completed ?? 0) < WARM_ROWS ? 'before' : 'after';
      peak[part] = Math.max(peak[part], await residentMegabytes(worker.pid));
      if (!live.isRunning) break;
      await sleep(LOOK_EVERY_MS);
    }
    const seconds = secondsSince(begunAt);
    const { user, system } = process.cpuUsage(ownBefore);
    return {
      rows,
      completed: (await stage.client.batches.report('bench'))?.counts.completed ?? 0,
      firstSubmitSeconds,
      seconds,
      workerCpuSeconds: (await cpuSeconds(worker.pid)) - workerBefore,
      serverCpuSeconds: (await cpuSeconds(serverPid)) - serverBefore,
      ownCpuSeconds: (user + system) / 1e6,
      peakMegabytes: peak,
      ...(await histories(stage)),
    };
  } finally {
    worker.signal('SIGTERM');
    await worker.ended;
    await stage.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export function batchInWords(measure: BatchMeasure): readonly string[] {
  const { rows, completed, seconds, peakMegabytes, workerCpuSeconds, serverCpuSeconds, ownCpuSeconds } = measure;
  const inSeconds = (value: number): string => `${value.toFixed(1)} s`;
  return [
    `completed               ${completed} of ${rows} rows in ${inSeconds(seconds)}: ${(completed / seconds).toFixed(1)} rows/s`,
    `first submit accepted   ${inSeconds(measure.firstSubmitSeconds)} after the check began`,
    `CPU                     worker ${inSeconds(workerCpuSeconds)}, server ${inSeconds(serverCpuSeconds)}, sandbox and bench ${inSeconds(ownCpuSeconds)}`,
    `worker's memory         ${peakMegabytes.before.toFixed(0)} MB up to row ${WARM_ROWS}, ${peakMegabytes.after.toFixed(0)} MB after it`,
    `histories of the batch  ${measure.histories}; at most ${measure.mostEvents} events and ${measure.mostBytes} bytes; largest event ${measure.largestEventBytes} bytes`,
  ];
}

async function begin({ client }: Stage, folder: string, rows: number, parallel: number): Promise<void> {
  const path = join(folder, 'bench.jsonl');
  const row = (n: number): string =>
    JSON.stringify({ key: `row-${n}`, model: 'quill-text-1', prompt: `the sea, hour ${n}`, onFailure: 'fail' });
  await writeFile(path, Array.from({ length: rows }, (_, index) => `${row(index + 1)}\n`).join(''));
  const list = join(folder, 'bench.yaml');
  const models = { 'quill-text-1': { output: 'text' } };
  await writeFile(list, JSON.stringify({ models, generation: TEMPLATE, rows: 'bench.jsonl' }));
  const loaded = await checkBatch(list, { policy: { fileValues: 'auto', dataUriMaxBytes: 1_000_000 } });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
  try {
    await client.batches.start({ batch: loaded.batch, path: list, takeOver: false, parallel, stopAfterFailures: null });
  } finally {
    await loaded.batch.close();
  }
}

const TEMPLATE = { key: '{{key}}', model: '{{model}}', prompt: '{{prompt}}' };

async function histories({
  temporal,
  store,
}: Stage): Promise<Pick<BatchMeasure, 'histories' | 'mostEvents' | 'mostBytes' | 'largestEventBytes'>> {
  const { workflow } = temporal.client;
  const workflowId = batchWorkflowId(store.id, 'bench');
  const found = { histories: 0, mostEvents: 0, mostBytes: 0, largestEventBytes: 0 };
  for await (const { runId } of workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
    const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
    const { historySize = 0 } = await workflow.getHandle(workflowId, runId).describe();
    found.histories += 1;
    found.mostEvents = Math.max(found.mostEvents, events?.length ?? 0);
    found.mostBytes = Math.max(found.mostBytes, historySize);
    for (const event of events ?? []) {
      found.largestEventBytes = Math.max(found.largestEventBytes, JSON.stringify(event).length);
    }
  }
  return found;
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1_000;
}

/** User and system time of a process and all of its threads. */
async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
}
