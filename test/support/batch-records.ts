import { checkBatch } from '../../client/batch-file/check-batch';
import { openGivenBatch } from '../../client/batch-file/given-batch';
import { freezeBatch, intoStore } from '../../client/batch/freeze-batch';
import { type BatchStatus, type RowEnd } from '../../contracts/render/batch';
import { type BatchIndex, type BatchPage, type BatchRow } from '../../contracts/render/batch-page';
import { type AssetRef } from '../../contracts/asset';
import { type FolderStore, readBatchPage, type Store } from '../../store';
import { wrapAssets } from '../../store/assets';
import { FolderAssets } from '../../store/folder-assets';
import { createStoreParts } from '../../store/parts';
import { createFolderRecords } from '../../store/records';
import { pictureRow } from './batches';

export const OWN_ACCOUNT = 'sandbox';

/** A row that asks for a text. */
export function recordedRow(key: string, digest = `digest-of-${key}`): BatchRow {
  const rules = { deadlineSeconds: 60, onUnclear: 'park', retryFailed: 0, onFailure: 'fail' } as const;
  return { kind: 'generation', key, digest, shot: { model: 'quill-text-1', output: 'text', ...rules } };
}

/** The end of such a row: completed for one credit, unless `changes` say otherwise. */
export function recordedEnd(key: string, changes: Partial<RowEnd> = {}): RowEnd {
  return {
    ...{ key, digest: `digest-of-${key}`, state: 'completed', reason: null, parkedFor: null, take: 1 },
    ...{ taskId: `task-${key}`, credits: 1, asset: null, at: '2026-11-22T02:00:00.000Z' },
    ...changes,
  };
}

export interface RecordedRun {
  readonly rows: readonly BatchRow[];
  readonly ends: readonly RowEnd[];
  readonly run?: number;
  readonly account?: string;
  readonly title?: string;
  /** The state that it ended with. Default: it has not ended. */
  readonly state?: BatchStatus['state'];
  readonly rowsPerPage?: number;
  readonly endsPerPage?: number;
  readonly parallel?: number;
  /** The frozen requests of every page. Default: none. */
  readonly frozen?: AssetRef;
}

/** Writes the records of a batch's run, as a client and a worker would. */
export async function recordRun(
  store: Store,
  batchId: string,
  { rows, title = batchId, rowsPerPage = 200, frozen, ...run }: RecordedRun,
): Promise<void> {
  const pages = [];
  for (let from = 0; from < rows.length; from += rowsPerPage) {
    const some = rows.slice(from, from + rowsPerPage).map((row) => ({ ...row, isDone: false }));
    pages.push(await store.putJson({ frozen: frozen ?? null, rows: some } satisfies BatchPage));
  }
  const openByModel: Record<string, number> = {};
  for (const row of rows) {
    if (row.kind === 'generation') openByModel[row.shot.model] = (openByModel[row.shot.model] ?? 0) + 1;
  }
  const counted = { rows: rows.length, open: rows.length, openByModel };
  await recordIndex(store, { batch: batchId, title, content: 'content', ...counted, pages }, run);
}

/** Writes the records of a run of rows that are in the store. */
async function recordIndex(
  store: Store,
  index: BatchIndex,
  { ends, run = 1, account = OWN_ACCOUNT, state, endsPerPage = 50, parallel = 16 }: Omit<RecordedRun, 'rows'>,
): Promise<void> {
  const { batches } = store;
  const { batch: batchId, rows, open } = index;
  const at = '2026-11-22T01:00:00.000Z';
  const begun = { run, renderId: `${batchId}-render-${run}`, account, index: await store.putJson(index), at };
  await batches.begin(batchId, { ...begun, parallel, stopAfterFailures: null });
  await recordEnds(store, batchId, run, ends, { endsPerPage });
  if (state === undefined) return;
  const counts = { completed: 0, failed: 0, skipped: 0, cancelled: 0, parked: 0 };
  const times = { startedAt: at, endedAt: '2026-11-22T03:00:00.000Z' };
  await batches.end({ batch: batchId, run, state, reason: null, rows, open, counts, underWay: [], ...times });
}

/**
 * Writes the records of a batch of pictures that has ended, with rows frozen as the client freezes them, so that they
 * can be rendered again.
 *
 * @param failed Keys of the rows that have failed. The others are completed.
 */
export async function recordPictures(store: FolderStore, { id, title, keys, failed }: PicturesRecorded): Promise<void> {
  const given = { title, models: { 'pixel-image-1': { output: 'image' as const } } };
  const opened = openGivenBatch(
    { ...given, generations: keys.map((key) => pictureRow(key)) },
    { folder: store.folder },
  );
  const checked = await checkBatch(opened, { id, policy: { fileValues: 'auto', dataUriMaxBytes: 1_000_000 } });
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues));
  const index = await freezeBatch(checked.batch, {
    target: intoStore(store),
    isDone: () => Promise.resolve(false),
    modeOf: () => Promise.resolve(undefined),
  });
  await checked.batch.close();
  const asset = await store.putJson({ picture: title });
  const pages = await Promise.all(index.pages.map((page) => readBatchPage(store.assets, page)));
  const ends = pages.flatMap(({ rows }) =>
    rows.map(({ key, digest }) =>
      failed.includes(key)
        ? recordedEnd(key, {
            digest,
            state: 'failed',
            credits: null,
            taskId: null,
            reason: 'the gateway has failed it',
          })
        : recordedEnd(key, { digest, asset }),
    ),
  );
  await recordIndex(store, index, { ends, state: 'incomplete', endsPerPage: 200 });
}

export interface PicturesRecorded {
  readonly id: string;
  readonly title: string;
  readonly keys: readonly string[];
  readonly failed: readonly string[];
}

/** @param from number of the first page. */
export async function recordEnds(
  store: Store,
  batchId: string,
  run: number,
  ends: readonly RowEnd[],
  { endsPerPage = 50, from = 1 }: { readonly endsPerPage?: number; readonly from?: number } = {},
): Promise<void> {
  const pages = Array.from({ length: Math.ceil(ends.length / endsPerPage) }, (_, page) => page);
  const { batches } = store;
  await Promise.all(
    pages.map((page) =>
      batches.noteResults(batchId, run, from + page, ends.slice(page * endsPerPage, (page + 1) * endsPerPage)),
    ),
  );
}

/** The same store, which counts what is read of it. */
export function countingReads(store: FolderStore): {
  readonly store: FolderStore;
  readonly reads: () => { readonly records: number; readonly assets: number };
} {
  let [read, assetsRead] = [0, 0];
  const records = createFolderRecords(store.folder);
  const assets = new FolderAssets(store.folder);
  const parts = createStoreParts({
    records: {
      ...records,
      read(key) {
        read += 1;
        return records.read(key);
      },
    },
    assets: wrapAssets(assets, {
      readBytes(asset) {
        assetsRead += 1;
        return assets.readBytes(asset);
      },
    }),
    scratch: store.folder,
  });
  return { store: { ...store, ...parts }, reads: () => ({ records: read, assets: assetsRead }) };
}
