import { setTimeout as sleep } from 'node:timers/promises';
import { type Finding, found } from '../finding';
import { onOwnStage } from '../own-folder';
import { wholeMegabytes } from '../process-use';
import { recordBatch } from './recorded-batch';
import { startStudioProcess, type StudioProcess } from './studio-process';

export const STUDIO_ROWS = 100_000;

const ROUNDS = 9;

/** Interval between requests while the studio reads the rows of a batch for the first time. */
const LOOK_EVERY_MS = 50;
const ROWS_WITHIN_MS = 60_000;

/**
 * Measures how long the studio takes to deliver pages of a batch's rows, from the request to the last byte. Then
 * measures the studio's memory.
 */
export function measureBatchPages(): Promise<readonly Finding[]> {
  return onOwnStage({}, async (stage) => {
    await recordBatch(stage.store, 'sea', STUDIO_ROWS);
    const studio = await startStudioProcess(stage);
    try {
      return await pagesOf(studio);
    } finally {
      await studio.close();
    }
  });
}

async function pagesOf(studio: StudioProcess): Promise<readonly Finding[]> {
  const title = `batch of ${STUDIO_ROWS} rows`;
  // The first answer is not measured, because the process first loads the code of its pages.
  await studio.ask('/');
  const first = await firstRead(studio);
  const later = async (path: string): Promise<readonly number[]> => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push((await studio.ask(path)).ms);
    return times;
  };
  const findings = [
    {
      title: `${title}: first look`,
      quantities: [
        { unit: 'ms until an answer', values: [first.answerMs] },
        { unit: 'ms until its rows are there', values: [first.rowsMs] },
      ],
    },
    found(`${title}: page 1 again`, 'ms', await later('/batches/sea')),
    found(`${title}: page 500`, 'ms', await later('/batches/sea?page=500')),
    found(`${title}: page 9 of the failed rows`, 'ms', await later('/batches/sea?state=failed&page=9')),
    found(`${title}: by key`, 'ms', await later('/batches/sea?key=row-99')),
  ];
  const { now, most } = await wholeMegabytes(studio.pid);
  const quantities = [
    { unit: 'MB in the studio after all pages', values: [now] },
    { unit: 'MB at most', values: [most] },
  ];
  return [...findings, { title: `${title}: memory`, quantities }];
}

async function firstRead(studio: StudioProcess): Promise<{ readonly answerMs: number; readonly rowsMs: number }> {
  const begun = performance.now();
  let answerMs: number | undefined;
  while (performance.now() - begun < ROWS_WITHIN_MS) {
    const { body, ms } = await studio.ask('/batches/sea');
    answerMs ??= ms;
    if (body.includes('id="row-')) return { answerMs, rowsMs: performance.now() - begun };
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error('the rows of the batch were never shown');
}
