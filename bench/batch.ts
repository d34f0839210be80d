import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { batchWorkflowId } from '../contracts/identifiers';
import { type HistoryUse, type MeasuredStage, onMeasuredStage, type StageUse } from './measured-stage';
import { residentMegabytes, secondsSince } from './process-use';

/** The rows after which a worker's memory is to stay as it is. */
const WARM_ROWS = 500;

export interface BatchMeasure extends StageUse, HistoryUse {
  readonly rows: number;
  readonly completed: number;
  /** From the start of the check to the first submit that the gateway accepted. */
  readonly firstSubmitSeconds: number;
  /** Highest resident memory of the worker, in megabytes, up to the first 500 rows. */
  readonly warmMegabytes: number;
}

/** Renders a batch of single tasks that need no ffmpeg, by one worker, and looks at what that takes. */
export function measureBatch({ rows, parallel }: { rows: number; parallel: number }): Promise<BatchMeasure> {
  return onMeasuredStage(async (stage) => {
    const file = await writeRows(stage, rows);
    const { dailies, sandbox, worker } = stage;
    let completed = 0;
    let firstSubmitSeconds = NaN;
    let warmMegabytes = 0;
    const use = await stage.use(async () => {
      const begunAt = performance.now();
      const onStatus = ({ status }: { status?: { counts: { completed: number } } | undefined }): void => {
        if (Number.isNaN(firstSubmitSeconds) && sandbox.tasks().length > 0) firstSubmitSeconds = secondsSince(begunAt);
        if ((status?.counts.completed ?? 0) < WARM_ROWS) {
          void residentMegabytes(worker.pid).then((megabytes) => (warmMegabytes = Math.max(warmMegabytes, megabytes)));
        }
      };
      completed = (await dailies.batch(file, { parallel, onStatus })).counts.completed;
    });
    const histories = await stage.historyOf(batchWorkflowId(stage.store.id, 'bench'));
    return { rows, completed, firstSubmitSeconds, warmMegabytes, ...use, ...histories };
  });
}

export function batchInWords(measure: BatchMeasure): readonly string[] {
  const { rows, completed, seconds, workerCpuSeconds, serverCpuSeconds, ownCpuSeconds } = measure;
  const inSeconds = (value: number): string => `${value.toFixed(1)} s`;
  return [
    `completed               ${completed} of ${rows} rows in ${inSeconds(seconds)}: ${(completed / seconds).toFixed(1)} rows/s`,
    `first submit accepted   ${inSeconds(measure.firstSubmitSeconds)} after the check began`,
    `CPU                     worker ${inSeconds(workerCpuSeconds)}, server ${inSeconds(serverCpuSeconds)}, sandbox and bench ${inSeconds(ownCpuSeconds)}`,
    `worker's memory         ${measure.warmMegabytes.toFixed(0)} MB up to row ${WARM_ROWS}, ${measure.peakMegabytes.toFixed(0)} MB at most`,
    `histories of the batch  ${measure.histories}; at most ${measure.mostEvents} events and ${measure.mostBytes} bytes; largest event ${measure.largestEventBytes} bytes`,
  ];
}

async function writeRows({ folder }: MeasuredStage, rows: number): Promise<string> {
  const row = (n: number): string =>
    JSON.stringify({ key: `row-${n}`, model: 'quill-text-1', prompt: `the sea, hour ${n}`, onFailure: 'fail' });
  await writeFile(
    join(folder, 'bench.jsonl'),
    Array.from({ length: rows }, (_, index) => `${row(index + 1)}\n`).join(''),
  );
  const list = join(folder, 'bench.yaml');
  const models = { 'quill-text-1': { output: 'text' } };
  await writeFile(list, JSON.stringify({ models, generation: TEMPLATE, rows: 'bench.jsonl' }));
  return list;
}

const TEMPLATE = { key: '{{key}}', model: '{{model}}', prompt: '{{prompt}}' };
