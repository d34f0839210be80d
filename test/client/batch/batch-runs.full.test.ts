import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createDailiesClient } from '../../../client';
import { ResultFiles } from '../../../client/batch';
import { isComplete, takesOfRow } from '../../../client/batch/row-output';
import { batchWorkflowId } from '../../../contracts/identifiers';
import { batchEnded, startRows, textRow, textRows } from '../../support/batches';
import { type Rig, startRig } from '../../support/rig';
import { template } from '../../support/scheduled';
import { temporaryFolder } from '../../support/temporary-folder';
import { until } from '../../support/until';

describe('runs of a batch', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig.close());
  afterEach(() => rig.sandbox.faults.clear());

  const terminate = (id: string) =>
    rig.temporal.client.workflow.getHandle(batchWorkflowId(rig.store.id, id)).terminate();

  it('counts a parked row that has failed since as failed, and retries it', async () => {
    const film = { id: 'film', models: { 'pixel-image-1': { output: 'image' } } };
    const shot = { id: 'a', model: 'pixel-image-1', prompt: 'a cup', onFailure: 'fail' };
    for (const [id, rows, row] of [
      ['since', textRows(1), { of: 'since', shot: 'r1' }],
      ['since-films', [{ ...film, shots: [shot] }], { of: 'since-films.film', shot: 'a' }],
    ] as const) {
      rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
      await startRows(rig, id, rows);
      expect(await batchEnded(rig, id)).toMatchObject({ counts: { parked: 1, failed: 0 } });
      rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
      await rig.client.resolve(row.of, row.shot, { kind: 'resubmit' });
      const report = await until(async () => {
        const now = await rig.client.batches.report(id);
        return now?.counts.failed === 1 && now;
      });
      expect(report).toMatchObject({ parked: [], failures: [{ reason: expect.any(String) }] });
      expect(await rig.client.batches.retryFailed(id)).toEqual({ is: 'begun', rows: 1, open: 1 });
      expect((await batchEnded(rig, id)).counts.completed).toBe(1);
    }
  });

  it('renders the rows that a scheduled run lacks: failed, never started, or lost with their workflow', async () => {
    const { schedules, batches } = rig.client;
    const models = { 'quill-text-1': { output: 'text', quick: false } };
    const sheet = {
      models,
      generations: [textRow('r1', { deadline: 20 }), ...textRows(4).slice(1)],
      parallel: 1,
      stopAfterFailures: 1,
    };
    const seldom = { cron: '0 0 6 1 *', timezone: 'UTC' };
    await schedules.create('lacking', { ...seldom, template: await template(JSON.stringify(sheet)) });
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    const [id, time] = ['lacking-20200106T000000Z', '2020-01-06T00:00:00Z'];
    await schedules.backfill('lacking', { from: time, to: time });
    await until(() => rig.store.batches.ended(id, 1));
    expect((await batchEnded(rig, id)).counts).toMatchObject({ failed: 1, pending: 3 });

    const before = rig.sandbox.tasks().length;
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 1 });
    expect(await batches.retryFailed(id, { missing: true })).toEqual({ is: 'begun', rows: 4, open: 4 });
    expect(await batches.retryFailed(id, { missing: true })).toEqual({ is: 'joined', rows: 4, open: 4 });
    await until(() => rig.sandbox.tasks().length > before);
    await terminate(id);
    expect(await batches.report(id)).toMatchObject({
      state: 'incomplete',
      reason: expect.stringContaining(`dailies batch retry-failed ${id} --missing`),
    });
    const all = { missing: true, stopAfterFailures: null };
    expect(await batches.retryFailed(id, all)).toEqual({ is: 'begun', rows: 4, open: 4 });
    expect((await batchEnded(rig, id)).counts).toMatchObject({ completed: 3, failed: 1 });
    expect(await batches.retryFailed(id, { missing: true })).toMatchObject({ open: 1 });
    await batchEnded(rig, id);
    await schedules.delete('lacking');
  });

  it('does not start while the batch is paused; a pause ends with the run', async () => {
    const { holds } = rig.store;
    // No task reports its end.
    rig.sandbox.faults.inject({ kind: 'refuse-503', on: 'read', share: 1 });
    await startRows(rig, 'held', textRows(1));
    await holds.pause('held', 'the client is away');
    await expect(startRows(rig, 'held', textRows(1))).rejects.toThrow('batch "held" has been paused since');
    await terminate('held');
    rig.sandbox.faults.clear();
    expect(await rig.client.batches.report('held')).toMatchObject({ state: 'incomplete' });
    expect(await startRows(rig, 'held', textRows(1))).toMatchObject({ is: 'begun' });
    expect(await holds.inForce('held')).toBeUndefined();
    expect((await batchEnded(rig, 'held')).counts.completed).toBe(1);
  });

  it('counts productions without a film as completed, and exports their takes', async () => {
    const { store } = rig;
    const models = { 'pixel-image-1': { output: 'image' } };
    const still = (id: string) => ({ id, model: 'pixel-image-1', prompt: `a ${id}` });
    const rows = [{ id: 'set', models, shots: [still('cup'), still('jug')] }];
    await startRows(rig, 'stills', rows);
    await batchEnded(rig, 'stills');
    const begun = await store.batches.begun('stills');
    if (begun === undefined) throw new Error('no run');
    const folder = await temporaryFolder();
    for (const puts of ['append', 'complete'] as const) {
      const files = await ResultFiles.open({ store, batchId: 'stills', begun, folder });
      await (puts === 'append' ? files.append() : files.complete(undefined));
      expect((await readdir(join(folder, 'set'))).toSorted()).toEqual(['cup-take-1.png', 'jug-take-1.png']);
      const line = JSON.parse((await readFile(join(folder, 'results.jsonl'), 'utf8')).trim()) as object;
      expect(line).toMatchObject({ key: 'set', state: 'completed', path: join(folder, 'set') });
    }
    expect(await startRows(rig, 'stills', rows)).toEqual({ is: 'nothing', rows: 1, open: 0 });

    const takes = await takesOfRow(store, { batchId: 'stills', account: 'sandbox' }, 'set');
    expect(takes).toMatchObject([{ shot: 'cup' }, { shot: 'jug' }]);
    await rm(store.assets.shownPath(takes?.[0]?.asset ?? begun.index));
    expect(await startRows(rig, 'stills', rows)).toEqual({ is: 'begun', rows: 1, open: 1 });
    expect((await batchEnded(rig, 'stills')).counts.completed).toBe(1);
  });

  it('exports no takes of another account, and does not count its render of a row as complete', async () => {
    const { store } = rig;
    const own = { batchId: 'stills', account: 'sandbox' };
    const row = { key: 'set', kind: 'production' } as const;
    const end = { state: 'completed', asset: null } as const;
    expect(await isComplete(store, own, row, end)).toBe(true);
    const another = { ...own, account: 'another' };
    expect(await takesOfRow(store, another, 'set')).toBeUndefined();
    expect(await isComplete(store, another, row, end)).toBe(false);
    expect(await isComplete(store, own, { ...row, key: 'without-recorded-end' }, end)).toBe(false);
  });

  it('can be followed by two commands at once, whose lists have each row once and are complete', async () => {
    await startRows(rig, 'followed', textRows(30));
    await batchEnded(rig, 'followed');
    const begun = await rig.store.batches.begun('followed');
    if (begun === undefined) throw new Error('no run');
    const folder = await temporaryFolder();
    const open = () => ResultFiles.open({ store: rig.store, batchId: 'followed', begun, folder });
    const [one, other] = [await open(), await open()];
    expect([await one.append(), await other.append()]).toEqual([30, 0]);
    const keys = async () =>
      (await readFile(join(folder, 'results.jsonl'), 'utf8'))
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { key: string }).key);
    expect((await keys()).toSorted()).toEqual(
      textRows(30)
        .map(({ key }) => key)
        .toSorted(),
    );

    await Promise.all([one.complete(undefined), other.complete(undefined), (await open()).complete(undefined)]);
    expect(await keys()).toEqual(textRows(30).map(({ key }) => key));
    expect(await other.append()).toBe(0);
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('is joined by the same rows in another order, and by no other rows', async () => {
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 1 });
    const rows = ['a', 'b', 'c', 'd'].map((key) => textRow(key, { deadline: 15 }));
    await startRows(rig, 'sorted', rows);
    expect(await startRows(rig, 'sorted', rows.toReversed())).toEqual({ is: 'joined', rows: 4, open: 4 });
    for (const others of [rows.slice(1), [...rows.slice(1), textRow('a', { prompt: 'another' })]]) {
      await expect(startRows(rig, 'sorted', others)).rejects.toThrow('is running with other rows');
    }
    await batchEnded(rig, 'sorted');
  });

  it('does not adopt a row that waits for a decision of another account', async () => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await startRows(rig, 'their-wait', textRows(2), { parallel: 1 });
    expect(await batchEnded(rig, 'their-wait')).toMatchObject({ counts: { parked: 1 } });
    const client = createDailiesClient({ temporal: rig.temporal.client, store: rig.store, account: 'paying' });
    await expect(startRows({ client, store: rig.store }, 'their-wait', textRows(2))).rejects.toThrow(
      'row "r1" of batch "their-wait" still waits for a decision by the account sandbox',
    );
    expect((await rig.store.batches.begun('their-wait'))?.run).toBe(1);
    await rig.client.resolve('their-wait', 'r1', { kind: 'skip' });
  });
});
