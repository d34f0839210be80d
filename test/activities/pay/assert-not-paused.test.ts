import { assertNotPaused } from '../../../activities/pay/assert-not-paused';
import { noteBegun } from '../../../client/records/note-begun';
import { type FolderStore } from '../../../store';
import { newStore } from '../../books/store-with-takes';
import { AT } from '../../support/ledger-fixtures';
import { recordsOf } from '../../support/store-records';

const PRODUCTION = {
  ...{ sha256: 'a'.repeat(64), sizeBytes: 2, mediaType: 'application/json' },
  ...{ durationSeconds: null, width: null, height: null },
};

describe('a production that is a row of a paused batch', () => {
  let store: FolderStore;

  beforeEach(async () => {
    store = await newStore();
    await begin('before');
    await store.holds.pause('batch', 'a test');
    await begin('after');
  });

  const begin = (id: string) =>
    store.productions.begin(`batch.${id}`, {
      renderId: id,
      production: PRODUCTION,
      account: 'sandbox',
      at: new Date().toISOString(),
      batch: 'batch',
    });
  const failureOf = async (id: string): Promise<unknown> =>
    assertNotPaused(store, id).then(
      () => undefined,
      (error: unknown) => error,
    );

  it('sends nothing if it began after the pause, and names the batch', async () => {
    expect(await failureOf('batch')).toMatchObject({ type: 'ProductionHeld' });
    const failed = {
      type: 'BatchHeld',
      message: expect.stringMatching(/batch "batch" of this row .*`dailies resume batch`/),
    };
    expect(await failureOf('batch.after')).toMatchObject(failed);
    await store.holds.resume('batch');
    expect(await failureOf('batch.after')).toBeUndefined();
    await store.holds.hold('batch', 'a new worker');
    await begin('later');
    expect(await failureOf('batch.later')).toMatchObject({ type: 'BatchHeld' });
  });

  it('stays held after a revision of the same render, and continues once the batch has ended', async () => {
    const render = { production: 'batch.after', renderId: 'after', frozen: PRODUCTION, startedAt: AT };
    await noteBegun(store, 'sandbox', { ...render, frozen: { ...PRODUCTION, sha256: 'b'.repeat(64) } });
    expect(await failureOf('batch.after')).toMatchObject({ type: 'BatchHeld' });
    await store.batches.begin('batch', {
      ...{ run: 1, renderId: 'batch', account: 'sandbox', index: PRODUCTION, at: AT },
      ...{ parallel: 1, stopAfterFailures: null },
    });
    expect(await failureOf('batch.after')).toMatchObject({ type: 'BatchHeld' });
    expect(await failureOf('batch')).toMatchObject({ type: 'ProductionHeld' });
    await recordsOf(store).create('batches/batch/ended-1', {});
    expect(await failureOf('batch.after')).toBeUndefined();
    // Single tasks of a batch have the id of the batch.
    expect(await failureOf('batch')).toBeUndefined();
  });

  it('continues if it began before the pause, or if it is not known to be a row', async () => {
    expect(await failureOf('batch.before')).toBeUndefined();
    expect(await failureOf('another')).toBeUndefined();
    await recordsOf(store).replace('productions/batch.after/render', null);
    expect(await failureOf('batch.after')).toBeUndefined();
  });
});
