import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { productionWorkflowId } from '../contracts/identifiers';
import { measureBatch } from './batch';
import { type HistoryUse, onMeasuredStage, type StageUse } from './measured-stage';

/** Under way at once, whatever the size. */
const PARALLEL = 64;

/** What one size took, of a production's shots or of a batch's rows. */
export interface Grown extends StageUse, HistoryUse {
  readonly what: 'production' | 'batch';
  /** Shots or rows. */
  readonly size: number;
}

/** Renders productions of these sizes, of stills that need no clip, each on a stage of its own. */
export async function measureProduction(shots: number): Promise<Grown> {
  return onMeasuredStage(async (stage) => {
    const file = join(stage.folder, 'growth.json');
    await writeFile(file, JSON.stringify(production(shots)));
    let state = '';
    const use = await stage.use(async () => {
      ({ state } = await stage.dailies.renderProduction(file));
    });
    if (state !== 'completed') throw new Error(`the production of ${shots} shots ended ${state}`);
    const histories = await stage.historyOf(productionWorkflowId(stage.store.id, 'growth'));
    return { what: 'production', size: shots, ...use, ...histories };
  });
}

export async function measureRows(rows: number): Promise<Grown> {
  const { completed, ...measured } = await measureBatch({ rows, parallel: PARALLEL });
  if (completed !== rows) throw new Error(`the batch completed ${completed} of ${rows} rows`);
  return { what: 'batch', size: rows, ...measured };
}

/** A line for a size; the ratio is that of the CPU of worker and server for each shot, to the smallest size's. */
export function grownInWords(grown: Grown, smallest: Grown): string {
  const { what, size, seconds, workerCpuSeconds, serverCpuSeconds, events, bytes, peakMegabytes } = grown;
  const each = (value: number, digits = 1): string => (value / size).toFixed(digits);
  const ratio = cpuEach(grown) / cpuEach(smallest);
  return (
    `${what} of ${size}`.padEnd(24) +
    `each ${each(seconds * 1_000, 0)} ms, CPU ${each(workerCpuSeconds * 1_000)} ms worker and ` +
    `${each(serverCpuSeconds * 1_000)} ms server (${ratio.toFixed(2)} of the smallest), ` +
    `${each(events)} events and ${each(bytes, 0)} bytes of history; worker ${peakMegabytes.toFixed(0)} MB`
  );
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
