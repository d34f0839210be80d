import { type RowEnd } from '../../contracts/render/batch';
import { type BatchPage, type BatchRow, ROWS_PER_PAGE } from '../../contracts/render/batch-page';
import { fewAtOnce, type Store } from '../../store';
import { DRILL_ACCOUNT } from '../../drill/stage';

/** Maximum number of row ends that a batch's workflow records together. */
const ENDS_PER_PAGE = 50;

const FAILS_ONE_IN = 50;

/** Number of different outputs: more than the rows on a page of the studio. */
const OUTPUTS = 200;

const TIMES = { startedAt: '2026-11-22T01:00:00.000Z', endedAt: '2026-11-22T03:00:00.000Z' };

/**
 * Writes the records of a batch whose run has ended, as a client and a worker would: rows, ends and outputs. Takes in
 * the ledger are left out, because the batch's page does not read them.
 */
export async function recordBatch(store: Store, batchId: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => rowOf(index + 1));
  const pages = await fewAtOnce(inPages(rows, ROWS_PER_PAGE), (some) =>
    store.putJson({ frozen: null, rows: some.map((row) => ({ ...row, isDone: false })) } satisfies BatchPage),
  );
  const counted = { rows: count, open: count };
  const index = await store.putJson({ batch: batchId, title: 'The sea', content: 'content', ...counted, pages });
  const begun = { run: 1, renderId: 'recorded', account: DRILL_ACCOUNT, index, at: TIMES.startedAt };
  await store.batches.begin(batchId, { ...begun, parallel: 64, stopAfterFailures: null });
  const outputs = await fewAtOnce(
    Array.from({ length: OUTPUTS }, (_, n) => ({ hour: n })),
    (text) => store.putJson(text),
  );
  const ends = rows.map((row, place) => endOf(row, outputs[place % OUTPUTS] ?? null, place));
  await fewAtOnce([...inPages(ends, ENDS_PER_PAGE).entries()], ([page, some]) =>
    store.batches.noteResults(batchId, 1, page + 1, some),
  );
  const failed = Math.ceil(count / FAILS_ONE_IN);
  const counts = { completed: count - failed, failed, skipped: 0, cancelled: 0, parked: 0 };
  const result = { batch: batchId, run: 1, state: 'incomplete', reason: null, underWay: [], counts } as const;
  await store.batches.end({ ...result, ...counted, ...TIMES });
}

function rowOf(n: number): BatchRow {
  const rules = { deadlineSeconds: 60, onUnclear: 'park', retryFailed: 0, onFailure: 'fail' } as const;
  const shot = { model: 'quill-text-1', output: 'text', ...rules } as const;
  return { kind: 'generation', key: `row-${n}`, digest: `digest-of-the-content-of-row-${n}`, shot };
}

function endOf({ key, digest }: BatchRow, asset: RowEnd['asset'], place: number): RowEnd {
  const ended = { key, digest, parkedFor: null, take: 1, taskId: `task-${key}`, credits: 1, at: TIMES.endedAt };
  return place % FAILS_ONE_IN === 0
    ? { ...ended, state: 'failed', reason: 'the gateway could not render it', asset: null }
    : { ...ended, state: 'completed', reason: null, asset };
}

function inPages<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, page) =>
    items.slice(page * size, (page + 1) * size),
  );
}
