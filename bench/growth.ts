import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { productionWorkflowId } from '../contracts/identifiers';
import { measureBatch } from './batch';
import { type Finding, type Quantity } from './finding';
import { type HistoryUse, onMeasuredStage, type StageUse } from './measured-stage';

/** Shots or rows in progress at once, at every size. */
const PARALLEL = 64;

/** Time, CPU, memory and histories of a production or batch of one size. */
export interface Grown extends StageUse, HistoryUse {
  readonly what: 'production' | 'batch';
  /** Number of shots or rows. */
  readonly size: number;
}

/**
 * Renders a production with this many shots, on a new stage. The shots are texts, which need no ffmpeg.
 *
 * @throws Error if the production does not complete.
 */
export async function measureProduction(shots: number): Promise<Grown> {
  return onMeasuredStage(async (stage) => {
    const file = join(stage.folder, 'growth.json');
    await writeFile(file, JSON.stringify(production(shots)));
    let state = '';
    const use = await stage.use(async () => {
      ({ state } = await stage.dailies.renderProduction(file));
    });
    if (state !== 'completed') throw new Error(`the production of ${shots} shots ended ${state}`);
    const histories = await stage.historyOf(productionWorkflowId(stage.store.id, 'growth'), shots);
    return { what: 'production', size: shots, ...use, ...histories };
  });
}

export async function measureRows(rows: number): Promise<Grown> {
  return { what: 'batch', size: rows, ...(await measureBatch({ rows, parallel: PARALLEL })) };
}

/**
 * Time, CPU and history per shot or row, and the highest memory. The ratio compares the CPU time per shot or row with
 * that of the smallest size.
 */
export function growthFinding(grown: Grown, smallest: Grown): Finding {
  const { what, size, seconds, workerCpuSeconds, serverCpuSeconds, events, bytes } = grown;
  const each = (unit: string, value: number, digits = 0): Quantity => ({ unit, values: [value / size], digits });
  return {
    title: `${what} of ${size}`,
    quantities: [
      each('ms each', seconds * 1_000),
      each('ms of CPU in the worker', workerCpuSeconds * 1_000, 1),
      each('ms of CPU in the server', serverCpuSeconds * 1_000, 1),
      { unit: 'times the CPU of the smallest', values: [cpuEach(grown) / cpuEach(smallest)], digits: 2 },
      each('events of history, children too', events, 1),
      each('bytes of history', bytes),
      { unit: 'MB in the worker at most', values: [grown.peakMegabytes] },
      { unit: 'MB in the server at most', values: [grown.serverPeakMegabytes] },
    ],
  };
}

function cpuEach({ workerCpuSeconds, serverCpuSeconds, size }: Grown): number {
  return (workerCpuSeconds + serverCpuSeconds) / size;
}

function production(shots: number): unknown {
  return {
    title: 'Growth',
    id: 'growth',
    maxInFlight: PARALLEL,
    models: { 'quill-text-1': { output: 'text' } },
    shots: Array.from({ length: shots }, (_, index) => ({
      id: `shot-${index + 1}`,
      model: 'quill-text-1',
      prompt: `the sea, hour ${index + 1}`,
    })),
  };
}
