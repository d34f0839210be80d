import { batchWorkflowId, productionWorkflowId, shotWorkflowId } from '../../../contracts/identifiers';
import { ROWS_PER_PAGE } from '../../../contracts/render/batch-page';
import { type SandboxTask } from '../../../sandbox';
import { type FolderStore, wrapAssets } from '../../../store';
import { batchEnded, clipRow, startRows, textRow, textRows } from '../../support/batches';
import { AT } from '../../support/ledger-fixtures';
import { type History } from '../../support/replay';
import { type Rig, startRig } from '../../support/rig';
import { until } from '../../support/until';
import { boundedClient } from '../bounded-client';
import { batchOverHistories } from '../long-batch';

/** Rows whose tasks take some seconds. */
const slowRows = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => textRow(`slow-${index}`));
const promptOf = (parameters: SandboxTask['parameters']): string => String((parameters as { prompt?: string }).prompt);

describe('a batch', () => {
  let rig: Rig;
  let whenReleased: Promise<void> | undefined;
  let heldPage: { readonly key: string; readonly whenReleased: Promise<void> } | undefined;
  const heldStarts = new Map<string, () => Promise<void>>();

  beforeAll(async () => {
    const renderSeconds = ({ parameters }: SandboxTask): number => (/slow-/.test(promptOf(parameters)) ? 6 : 0);
    rig = await startRig({ renderSeconds }, { through: heldResults });
  });

  afterAll(async () => {
    await rig.close();
  });

  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  /** Lets the workers record no results until they are released. */
  function holdResults(): { readonly release: () => void } {
    let release = (): void => undefined;
    whenReleased = new Promise((resolve) => (release = resolve));
    return { release };
  }
  /** Lets the workers not record the start of this production until it is released. */
  function holdStart(productionId: string): { readonly release: () => void; readonly isReached: () => boolean } {
    let release = (): void => undefined;
    let isReached = false;
    const whenReleased = new Promise<void>((resolve) => (release = resolve));
    heldStarts.set(productionId, () => ((isReached = true), whenReleased));
    return { release, isReached: () => isReached };
  }
  /** Lets the workers not read the page with this row until it is released. */
  function holdPage(key: string): { readonly release: () => void } {
    let release = (): void => undefined;
    heldPage = { key, whenReleased: new Promise((resolve) => (release = resolve)) };
    return { release };
  }
  const heldResults = (store: FolderStore): FolderStore => ({
    ...store,
    assets: wrapAssets(store.assets, {
      async readBytes(asset) {
        const bytes = await store.assets.readBytes(asset);
        if (heldPage !== undefined && bytes.includes(`"${heldPage.key}"`)) await heldPage.whenReleased;
        return bytes;
      },
    }),
    productions: {
      ...store.productions,
      async begin(productionId, render) {
        await heldStarts.get(productionId)?.();
        await store.productions.begin(productionId, render);
      },
    },
    batches: {
      ...store.batches,
      async noteResults(...results) {
        await whenReleased;
        await store.batches.noteResults(...results);
      },
    },
  });

  const accepted = (): readonly SandboxTask[] => rig.sandbox.tasks();
  const promptsSince = (before: number): readonly string[] =>
    accepted()
      .slice(before)
      .map(({ parameters }) => promptOf(parameters))
      .toSorted();
  const begun = (id: string): Promise<number> => rig.store.ledger.shots(id).then((shots) => shots.length);

  it('continues after a failure, stops after the given number of failures, and retries only failed rows', async () => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 2 });
    await startRows(rig, 'failing', textRows(6), { parallel: 1 });
    const failed = await batchEnded(rig, 'failing');
    expect(failed).toMatchObject({ state: 'incomplete', counts: { completed: 4, failed: 2 } });
    expect(failed.failures).toMatchObject([
      { key: 'r1', state: 'failed', reason: expect.stringMatching(/content/) },
      { key: 'r2', state: 'failed' },
    ]);

    const before = accepted().length;
    const bounds = { parallel: 2, stopAfterFailures: null };
    expect(await rig.client.batches.retryFailed('failing', bounds)).toEqual({ is: 'begun', rows: 6, open: 2 });
    expect(await batchEnded(rig, 'failing')).toMatchObject({ state: 'completed', counts: { completed: 6 } });
    expect(promptsSince(before)).toEqual(['the lighthouse, r1', 'the lighthouse, r2']);
    await expect(rig.client.batches.retryFailed('failing', bounds)).rejects.toThrow('has no failed rows');

    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 3 });
    await startRows(rig, 'stopping', textRows(30), { parallel: 1, stopAfterFailures: 2 });
    expect(await batchEnded(rig, 'stopping')).toMatchObject({
      state: 'incomplete',
      reason: 'stopped after 2 failures',
      counts: { failed: 2, pending: 28 },
    });
    expect(await begun('stopping')).toBe(2);
  });

  it("gives the place of a parked row to the next row, and reports the parked row's end once somebody decides", async () => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await startRows(rig, 'parked', textRows(4), { parallel: 1 });
    const left = await batchEnded(rig, 'parked');
    expect(left).toMatchObject({ state: 'incomplete', counts: { completed: 3, parked: 1 } });
    expect(left.parked).toMatchObject([
      { key: 'r1', command: expect.stringMatching(/^dailies resolve parked r1 --adopt/) },
    ]);

    // Started again, it neither pays for the row nor waits for it.
    const before = accepted().length;
    expect(await startRows(rig, 'parked', textRows(4), { parallel: 1 })).toMatchObject({ is: 'begun', open: 1 });
    expect(await batchEnded(rig, 'parked')).toMatchObject({ state: 'incomplete', counts: { parked: 1 } });

    const taskId = accepted().at(-4)?.id ?? '';
    await rig.client.resolve('parked', 'r1', { kind: 'adopt', taskId });
    const report = await until(async () => {
      const now = await rig.client.batches.report('parked');
      return now?.counts.completed === 4 && now;
    });
    expect(report.parked).toEqual([]);
    expect(accepted().length).toBe(before);
    // Only the ledger knows the end. It becomes a result, at no cost, when the batch is started again.
    expect(await startRows(rig, 'parked', textRows(4))).toMatchObject({ is: 'begun', open: 1 });
    expect(await batchEnded(rig, 'parked')).toMatchObject({ state: 'completed', counts: { completed: 4 } });
    expect(accepted().length).toBe(before);
  });

  it('notices that a parked row continues while the batch runs', async () => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 2 });
    await startRows(rig, 'going-on', [textRow('lost'), textRow('slow', { deadline: 25 })], { parallel: 1 });
    await until(async () => (await rig.client.batches.live('going-on')).status?.counts.parked === 1);
    await until(async () => (await rig.client.batches.live('going-on')).status?.underWay.includes('slow'));
    await rig.client.resolve('going-on', 'lost', { kind: 'skip' });
    const counts = await until(async () => {
      const { status } = await rig.client.batches.live('going-on');
      return status?.counts.skipped === 1 && status.counts;
    });
    expect(counts.parked).toBe(0);
    expect(await batchEnded(rig, 'going-on')).toMatchObject({
      state: 'incomplete',
      counts: { skipped: 1, failed: 1 },
      failures: [{ key: 'lost' }, { key: 'slow', reason: expect.stringMatching(/has not ended within 25 s/) }],
    });
  });

  it('begins no further rows once the account has no credits', async () => {
    rig.sandbox.faults.inject({ kind: 'refuse-402', on: 'submit', count: 20 });
    await startRows(rig, 'poor', textRows(20), { parallel: 2 });
    const left = await batchEnded(rig, 'poor');
    expect(left).toMatchObject({ state: 'incomplete', reason: 'the account has no credits left' });
    expect(left.counts.parked + left.counts.pending).toBe(20);
    expect(left.counts.pending).toBeGreaterThanOrEqual(16);
    for (const { key } of left.parked) await rig.client.resolve('poor', key, { kind: 'skip' });
  });

  it('started again after a top-up, retries the rows that waited for credits, and continues', async () => {
    rig.sandbox.faults.inject({ kind: 'refuse-402', on: 'submit', count: 2 });
    await startRows(rig, 'topped-up', textRows(5), { parallel: 2 });
    const before = accepted().length;
    expect((await batchEnded(rig, 'topped-up')).reason).toBe('the account has no credits left');
    rig.sandbox.faults.clear();
    expect(await startRows(rig, 'topped-up', textRows(5), { parallel: 2 })).toMatchObject({ is: 'begun' });
    expect(await batchEnded(rig, 'topped-up')).toMatchObject({ state: 'completed', counts: { completed: 5 } });
    expect(accepted().length - before).toBe(5);
  });

  it('renders a row as it is now, even if an earlier version of it still waits', async () => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    const rows = (wish: string): object[] => [
      textRow('parked', { prompt: `${wish} parked`, onFailure: 'park' }),
      textRow('under-way', { prompt: `${wish} under way`, deadline: 20 }),
    ];
    const before = accepted().length;
    await startRows(rig, 'mended', rows('old').slice(0, 1));
    expect(await batchEnded(rig, 'mended')).toMatchObject({ counts: { parked: 1 } });
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 1 });
    await startRows(rig, 'mended', rows('old'));
    await until(() => accepted().length === before + 2);
    await rig.temporal.client.workflow.getHandle(batchWorkflowId(rig.store.id, 'mended')).terminate();
    expect(await startRows(rig, 'mended', rows('new'))).toMatchObject({ is: 'begun', open: 2 });
    expect(await batchEnded(rig, 'mended')).toMatchObject({ state: 'completed', counts: { completed: 2 } });
    expect(promptsSince(before)).toEqual(['new parked', 'new under way', 'old parked', 'old under way']);
    expect(await startRows(rig, 'mended', rows('new'))).toMatchObject({ is: 'nothing' });
  });

  it('records a waiting row once, however often its state is queried', async () => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    const rows = [textRow('waits'), ...textRows(3)];
    await startRows(rig, 'asked', rows, { parallel: 1 });
    await batchEnded(rig, 'asked');
    await startRows(rig, 'asked', rows, { parallel: 1 });
    await batchEnded(rig, 'asked');
    const batch = rig.temporal.client.workflow.getHandle(batchWorkflowId(rig.store.id, 'asked'));
    const { events } = await batch.fetchHistory();
    const told = (events ?? []).filter(({ workflowExecutionSignaledEventAttributes: signal }) => signal != null);
    expect(told.map((event) => event.workflowExecutionSignaledEventAttributes?.signalName)).toEqual(['rowNews']);
    await rig.client.resolve('asked', 'waits', { kind: 'skip' });
  });

  it('cancelled while it continues as new, buys nothing in the next history', async () => {
    const before = accepted().length;
    const { release } = holdResults();
    const client = boundedClient(rig, { mostEvents: 110 });
    const time = { readyBy: new Date(Date.now() + 3_600_000).toISOString(), fallback: { duration: 4 } };
    // The quick rows leave results that the first history has to record before it ends. The clip is never rendered.
    const rows = [...textRows(4), ...slowRows(30), clipRow('last')];
    await startRows({ client, store: rig.store }, 'going-over', rows, { parallel: 6, time });
    const { workflow } = rig.temporal.client;
    const { workflowId, runId } = await workflow.getHandle(batchWorkflowId(rig.store.id, 'going-over')).describe();
    const first = workflow.getHandle(workflowId, runId);
    const events = async (): Promise<NonNullable<History['events']>> => (await first.fetchHistory()).events ?? [];
    // Rows are asked to report when a history is about to end; a cancellation in that moment must not be lost.
    await until(async () => {
      const all = await events();
      const asked = all.filter((event) => event.signalExternalWorkflowExecutionInitiatedEventAttributes != null);
      const heard = all.filter((event) => event.externalWorkflowExecutionSignaledEventAttributes != null);
      return heard.length > 0 && heard.length === asked.length;
    });
    await rig.client.batches.cancel('going-over');
    await until(async () =>
      (await events()).some((event) => event.workflowExecutionCancelRequestedEventAttributes != null),
    );
    release();
    const report = await batchEnded(rig, 'going-over');
    expect((await first.describe()).status.name).toBe('CONTINUED_AS_NEW');
    expect(report.state).toBe('cancelled');
    expect(report.counts.pending).toBeGreaterThan(0);
    expect(accepted().length - before).toBe(rows.length - report.counts.pending - report.counts.cancelled);
    await expectRowsClosed('going-over');
  });

  it('buys nothing after it is cancelled, and collects what it has paid for', async () => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await startRows(rig, 'cancelled', textRows(200), { parallel: 4 });
    await until(async () => ((await rig.client.batches.live('cancelled')).status?.counts.completed ?? 0) > 3);
    await rig.client.batches.cancel('cancelled');
    const bought = accepted().length;
    const report = await batchEnded(rig, 'cancelled');
    expect(report.state).toBe('cancelled');
    const { completed, cancelled, pending, parked, underWay } = report.counts;
    expect({ parked, underWay, all: completed + cancelled + pending }).toEqual({ parked: 0, underWay: 0, all: 200 });
    expect(pending).toBeGreaterThan(100);
    await expect(rig.client.batches.cancel('cancelled')).rejects.toThrow('is not running');
    await expectRowsClosed('cancelled');
    // Later purchases belong to rows that began before the cancellation reached the batch.
    const { events } = await rig.temporal.client.workflow
      .getHandle(batchWorkflowId(rig.store.id, 'cancelled'))
      .fetchHistory();
    const all = events ?? [];
    const heard = all.findIndex((event) => event.workflowExecutionCancelRequestedEventAttributes != null);
    const begins = all.flatMap((event, index) =>
      event.startChildWorkflowExecutionInitiatedEventAttributes == null ? [] : [index],
    );
    expect(heard).toBeGreaterThan(0);
    expect(begins.filter((index) => index > heard)).toEqual([]);
    expect(await begun('cancelled')).toBeLessThanOrEqual(begins.length);
    // The rows under way at the cancellation, and those that took their places before it arrived.
    expect(accepted().length - bought).toBeLessThanOrEqual(8);
  });

  it('cancelled while one row cannot be started, lets the others drain', async () => {
    const { release } = holdStart('stalled.b');
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 1 });
    const shots = [{ id: 'words', model: 'quill-text-1', prompt: 'a cup', deadline: 20 }];
    const rows = ['a', 'b'].map((id) => ({ id, models: { 'quill-text-1': { output: 'text', quick: false } }, shots }));
    const before = accepted().length;
    await startRows(rig, 'stalled', rows);
    await until(() => accepted().length > before);
    await rig.client.batches.cancel('stalled');
    const other = rig.temporal.client.workflow.getHandle(productionWorkflowId(rig.store.id, 'stalled.a'));
    await until(async () =>
      (await other.fetchHistory()).events?.some((event) => event.workflowExecutionCancelRequestedEventAttributes),
    );
    release();
    expect(await batchEnded(rig, 'stalled')).toMatchObject({ state: 'cancelled', counts: { underWay: 0 } });
    expect(accepted().length).toBe(before + 1);
  });

  it('cancelled, starts no row whose start was delayed, although another one still cannot be started', async () => {
    const [late, never] = [holdStart('delayed.late'), holdStart('delayed.never')];
    const shots = [{ id: 'words', model: 'quill-text-1', prompt: 'a cup', deadline: 20 }];
    const models = { 'quill-text-1': { output: 'text', quick: false } };
    const before = accepted().length;
    await startRows(
      rig,
      'delayed',
      ['late', 'never'].map((id) => ({ id, models, shots })),
    );
    const { workflow } = rig.temporal.client;
    const batchEvents = async () =>
      (await workflow.getHandle(batchWorkflowId(rig.store.id, 'delayed')).fetchHistory()).events ?? [];
    await until(() => late.isReached() && never.isReached());
    await rig.client.batches.cancel('delayed');
    await until(async () =>
      (await batchEvents()).some((event) => event.workflowExecutionCancelRequestedEventAttributes != null),
    );
    late.release();
    await until(async () => (await rig.client.batches.live('delayed')).status?.counts.cancelled === 1);
    never.release();
    expect(await batchEnded(rig, 'delayed')).toMatchObject({ state: 'cancelled', counts: { cancelled: 2 } });
    const begun = (await batchEvents()).filter((event) => event.startChildWorkflowExecutionInitiatedEventAttributes);
    expect(begun).toEqual([]);
    expect(accepted().length).toBe(before);
  });

  it('begins no row of a page that was read while a failure stopped the batch', async () => {
    const { release } = holdPage('second-page');
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    const rows = [...textRows(ROWS_PER_PAGE), textRow('second-page')];
    await startRows(rig, 'paged', rows, { parallel: rows.length, stopAfterFailures: 1 });
    await until(async () => (await rig.client.batches.live('paged')).status?.counts.failed === 1);
    release();
    expect(await batchEnded(rig, 'paged')).toMatchObject({ state: 'incomplete', counts: { failed: 1, pending: 1 } });
    expect(promptsSince(0)).not.toContain('the lighthouse, second-page');
  });

  it('adopts the rows of a terminated run, and pays for none of them again', async () => {
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 2 });
    const rows = [textRow('a', { deadline: 20 }), textRow('b', { deadline: 20 }), textRow('c')];
    const before = accepted().length;
    await startRows(rig, 'adopting', rows, { parallel: 2 });
    await until(() => accepted().length === before + 2);
    await rig.temporal.client.workflow.getHandle(batchWorkflowId(rig.store.id, 'adopting')).terminate();
    expect(await rig.client.batches.report('adopting')).toMatchObject({ state: 'incomplete' });
    expect(await startRows(rig, 'adopting', rows, { parallel: 2 })).toMatchObject({ is: 'begun', open: 3 });
    expect(await batchEnded(rig, 'adopting')).toMatchObject({ counts: { failed: 2, completed: 1 } });
    expect(accepted().length).toBe(before + 3);
  });

  it('continues in new histories, each far below the limits, and loses no row between them', async () => {
    await batchOverHistories(rig, { rows: 30, parallel: 8, bounds: { mostEvents: 140 } });
  });

  it('makes productions of rows, each charged under its own name', async () => {
    const shots = [{ id: 'still', model: 'pixel-image-1', prompt: 'a cup', width: 64, height: 64 }];
    const models = { 'pixel-image-1': { output: 'image' } };
    const rows = ['cup', 'jug'].map((id) => ({
      id,
      models,
      shots: shots.map((shot) => ({ ...shot, prompt: `a ${id}` })),
    }));
    const before = accepted().length;
    await startRows(rig, 'films', rows);
    expect(await batchEnded(rig, 'films')).toMatchObject({ state: 'completed', counts: { completed: 2 }, credits: 6 });
    expect(promptsSince(before)).toEqual(['a cup', 'a jug']);
    expect(await rig.client.status('films.cup')).toMatchObject({ state: 'completed', production: 'films.cup' });
    expect(await startRows(rig, 'films', rows)).toEqual({ is: 'nothing', rows: 2, open: 0 });
    await batchEnded(rig, 'films');
    expect(accepted().length - before).toBe(2);

    const production = await rig.store.putJson({});
    const begun = { renderId: 'another', production, account: 'sandbox', at: AT, path: '/vase.yaml' };
    await rig.client.productions.begin('films.vase', begun);
    const vase = { id: 'vase', models, shots };
    await expect(startRows(rig, 'films', [...rows, vase])).rejects.toThrow('"films.vase" is a production');
  });

  async function expectRowsClosed(id: string): Promise<void> {
    const query = `WorkflowId STARTS_WITH "${shotWorkflowId(rig.store.id, id, '')}" AND ExecutionStatus = "Running"`;
    await until(async () => (await rig.temporal.client.workflow.count(query)).count === 0);
  }
});
