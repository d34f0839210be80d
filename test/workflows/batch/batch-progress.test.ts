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

  it.each([
    ['count', true, 'stopped after 1 failure'],
    ['do not count, in histories of older versions,', false, null],
  ])('%s an adopted row that was not parked before', (_what, counts, reason) => {
    const progress = withTwoRows();
    const news = { key: 'earlier', digest: 'd', runId: 'earlier', news: 1, end: FAILED, isFresh: true } as const;
    progress.heard(news, { tellsOtherReason: () => true, countsEarlierRows: () => counts });
    expect(progress.stopped()).toBe(reason);
  });

  it('count a row once that was parked before and parks again for the same reason, with one report for both', () => {
    const progress = withTwoRows();
    park(progress, 'earlier');
    expect(progress.stopped()).toBeNull();
    const again = { key: 'earlier', digest: 'd', runId: 'earlier', end: FAILED, isFresh: true } as const;
    progress.heard({ ...again, news: 2 });
    expect(progress.stopped()).toBe('stopped after 1 failure');
    progress.heard({ ...again, news: 3 });
    expect(progress.takeUnnoted(9)).toHaveLength(2);
  });
});

describe('a parked row of a batch', () => {
  const WAITS: RowOutcome = { ...FAILED, parkedFor: 'unclear', take: null, taskId: null, reason: 'a: no answer' };
  const noted = (progress: BatchProgress): readonly (string | null)[] =>
    progress.takeUnnoted(9).map(({ reason }) => reason);

  it.each([
    ['is recorded again if another shot of it waits', true, ['a: no answer', 'b: no answer']],
    ['is recorded once in histories of older versions', false, ['a: no answer']],
  ])('%s', (_what, tells, reasons) => {
    const progress = new BatchProgress(INPUT);
    const rules = { tellsOtherReason: () => tells, countsEarlierRows: () => true };
    progress.begun(row('film'));
    for (const [n, reason] of ['a: no answer', 'a: no answer', 'b: no answer'].entries()) {
      progress.heard({ key: 'film', digest: 'd', runId: 'r', news: n + 1, end: { ...WAITS, reason } }, rules);
    }
    expect(noted(progress)).toEqual(reasons);
  });
});
