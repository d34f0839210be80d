import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { batchWorkflowId } from '../contracts/identifiers';
import { type Finding, found, type Quantity } from './finding';
import { type HistoryUse, type MeasuredStage, onMeasuredStage, type StageUse } from './measured-stage';
import { residentMegabytes } from './process-use';

/** After this many completed rows, a worker's memory should stop growing. */
const WARM_ROWS = 500;

export interface BatchMeasure extends StageUse, HistoryUse {
  readonly rows: number;
  /** From the start of the batch file's check to the first submit that the gateway accepted. */
  readonly firstSubmitSeconds: number;
  /** Highest memory of the worker while fewer than `WARM_ROWS` rows were completed. */
  readonly warmMegabytes: number;
}

/**
 * Renders a batch on one worker, and measures its time, CPU, memory and histories. The rows are texts, which need no
 * ffmpeg.
 *
 * @throws Error if a row does not complete.
 */
export function measureBatch({ rows, parallel }: { rows: number; parallel: number }): Promise<BatchMeasure> {
  return onMeasuredStage(async (stage) => {
    const file = await writeRows(stage, rows);
    const { dailies, sandbox, worker } = stage;
    let firstSubmitSeconds = NaN;
    let warmMegabytes = 0;
    const use = await stage.use(async () => {
      const begunAt = Date.now();
      const onStatus = ({ status }: { status?: { counts: { completed: number } } | undefined }): void => {
        if ((status?.counts.completed ?? 0) < WARM_ROWS) {
          void residentMegabytes(worker.pid).then(
            (megabytes) => (warmMegabytes = Math.max(warmMegabytes, megabytes)),
            // The worker has ended, so its memory cannot be read.
            () => undefined,
          );
        }
      };
      const { completed } = (await dailies.batch(file, { parallel, onStatus })).counts;
      if (completed !== rows) throw new Error(`the batch completed ${completed} of ${rows} rows`);
      firstSubmitSeconds = (Date.parse(sandbox.tasks()[0]?.acceptedAt ?? '') - begunAt) / 1_000;
    });
    const histories = await stage.historyOf(batchWorkflowId(stage.store.id, 'bench'), rows);
    return { rows, firstSubmitSeconds, warmMegabytes, ...use, ...histories };
  });
}

export function batchFindings(measure: BatchMeasure): readonly Finding[] {
  const { rows, seconds, workerCpuSeconds, serverCpuSeconds, ownCpuSeconds } = measure;
  const [title, each] = [`batch of ${rows} rows`, 1_000 / rows];
  const cpu = (seconds: number, whose: string): Quantity => ({
    unit: `ms of CPU a row in the ${whose}`,
    values: [seconds * each],
    digits: 1,
  });
  return [
    found(title, 'rows a second', [rows / seconds], 1),
    found(`${title}: first submit`, 's after the check began', [measure.firstSubmitSeconds], 1),
    {
      title: `${title}: CPU`,
      quantities: [
        cpu(workerCpuSeconds, 'worker'),
        cpu(serverCpuSeconds, 'server'),
        cpu(ownCpuSeconds, 'sandbox and bench'),
      ],
    },
    {
      title: `${title}: memory`,
      quantities: [
        { unit: `MB in the worker up to row ${WARM_ROWS}`, values: [measure.warmMegabytes] },
        { unit: 'MB in it at most', values: [measure.peakMegabytes] },
        { unit: 'MB in the server at most', values: [measure.serverPeakMegabytes] },
      ],
    },
    {
      title: `${title}: histories`,
      quantities: [
        { unit: 'of the batch and its rows', values: [measure.histories] },
        { unit: "events in the batch's longest", values: [measure.mostEvents] },
        { unit: "bytes in the batch's largest", values: [measure.mostBytes] },
        { unit: "bytes in the batch's largest event", values: [measure.largestEventBytes] },
      ],
    },
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
