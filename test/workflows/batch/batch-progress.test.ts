import { type BatchInput, type RowOutcome } from '../../../contracts/render/batch';
import { BatchProgress } from '../../../workflows/batch/batch-progress';

const INPUT: BatchInput = {
  ...{ batchId: 'films', storeId: 'store', run: 2, pages: 1, rows: 2, open: 2, renderId: 'r', searchable: false },
  ...{ parallel: 16, stopAfterFailures: 1 },
  index: {
    ...{ sha256: '0'.repeat(64), sizeBytes: 1, mediaType: 'application/json' },
    ...{ durationSeconds: null, width: null, height: null },
  },
};
const FAILED: RowOutcome = {
  ...{ state: 'parked', reason: 'no luck', parkedFor: 'failed' },
  ...{ take: 1, taskId: 'task-1', credits: null, asset: null },
};
const row = (key: string) => ({ key, digest: 'd', page: 0, isProduction: false, mayFallBackFrom: 'alpha-3.0-video' });

describe('the limits that stop a batch', () => {
  /** A batch with a row that an earlier run started, and a row of this run. Both are asked to use the fallback. */
  function withTwoRows(): BatchProgress {
    const progress = new BatchProgress(INPUT);
    for (const key of ['earlier', 'own']) progress.begun(row(key));
    progress.adopted('earlier');
    for (const key of ['earlier', 'own']) progress.askedToFallBack(key, true);
    return progress;
  }
  const park = (progress: BatchProgress, key: string): void => {
    progress.heard({ key, digest: 'd', runId: key, news: 1, end: FAILED });
  };

  it('do not count a parked row of an earlier run, also if it was asked to use the fallback', () => {
    const progress = withTwoRows();
    park(progress, 'earlier');
    expect(progress.stopped()).toBeNull();
    park(progress, 'own');
    expect(progress.stopped()).toBe('stopped after 1 failure');
  });
});
