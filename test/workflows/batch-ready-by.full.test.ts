import { type BatchReport } from '../../client/batch';
import { batchWorkflowId, shotWorkflowId } from '../../contracts/identifiers';
import { batchEnded, batchHistories, clipRow, startRows, textRow } from '../support/batches';
import { until } from '../support/until';
import { boundedClient } from './bounded-client';
import { DUE_SECONDS, FALLBACK, rig, limit, inSeconds, clips, lines } from './ready-by-batches';
const FAR_SECONDS = 3_600;

describe('a batch with a readyBy time', () => {
  /** Length of each clip that the gateway was asked for, by row. */
  function asked(id: string): Readonly<Record<string, number[]>> {
    const sent: Record<string, number[]> = {};
    for (const { parameters } of rig.sandbox.tasks()) {
      const { prompt, duration } = parameters as { prompt: string; duration: number };
      if (prompt.startsWith(`${id}: `)) (sent[prompt.slice(id.length + 2)] ??= []).push(duration);
    }
    return sent;
  }
  /** Expects that all rows are paid for once and say how they were rendered. */
  async function shown(
    id: string,
  ): Promise<{ readonly asWritten: readonly string[]; readonly lowered: readonly string[] }> {
    const sent = asked(id);
    expect(Object.values(sent).map(({ length }) => length)).toEqual(Object.keys(sent).map(() => 1));
    const rows = await lines(id);
    for (const { key, state, fallback, durationSeconds } of rows) {
      expect([key, state, fallback]).toEqual([key, 'completed', sent[key]?.[0] === 4]);
      expect(Math.round(durationSeconds ?? 0)).toBe(sent[key]?.[0]);
    }
    const keys = (by: boolean): readonly string[] =>
      rows.flatMap(({ key, fallback }) => (fallback === by ? [key] : []));
    return { asWritten: keys(false), lowered: keys(true) };
  }
  const readyBy = (id: string): Promise<BatchReport['readyBy'] | undefined> =>
    rig.client.batches.report(id).then((report) => report?.readyBy);

  it('renders rows that begin after the last moment by the fallback, and pays for each row once', async () => {
    const time = { readyBy: inSeconds(30), fallback: FALLBACK };
    await startRows(rig, 'late', clips('late', 8), { parallel: 1, time });
    const early = await until(async () => {
      const now = await readyBy('late');
      return now?.lastMoment != null && now;
    });
    expect(early).toMatchObject({ at: time.readyBy, fallback: 0, warning: null });
    expect(Date.parse(early.lastMoment ?? '')).toBeLessThan(Date.parse(time.readyBy) - 10_000);
    expect(Date.parse(early.urgentFrom ?? '')).toBeLessThan(Date.parse(time.readyBy));
    const report = await batchEnded(rig, 'late');
    const { asWritten, lowered } = await shown('late');
    expect(asWritten.length).toBeGreaterThan(0);
    expect(lowered.length).toBeGreaterThan(0);
    // All rows from the last moment on.
    expect([...asWritten, ...lowered]).toEqual(clips('late', 8).map(({ key }) => key));
    expect(report).toMatchObject({ state: 'completed', readyBy: { fallback: lowered.length } });

    const before = rig.sandbox.tasks().length;
    const far = { readyBy: inSeconds(FAR_SECONDS), fallback: FALLBACK };
    expect(await startRows(rig, 'late', clips('late', 8), { time: far })).toMatchObject({ is: 'nothing' });
    expect(await startRows(rig, 'late', clips('late', 8))).toMatchObject({ is: 'nothing' });
    expect(rig.sandbox.tasks().length).toBe(before);
    expect((await lines('late')).filter(({ fallback }) => fallback)).toHaveLength(lowered.length);
    const [first, ...others] = clips('late', 8).toReversed();
    const changed = [{ ...first, prompt: 'late: another' }, ...others];
    expect(await startRows(rig, 'late', changed, { time: far })).toMatchObject({ is: 'begun', open: 1 });
    await batchEnded(rig, 'late');
    expect(asked('late')['another']).toEqual([5]);
  });

  it('switches waiting rows to the fallback, and leaves those that were sent', async () => {
    await limit({ inFlight: 1 });
    const time = { readyBy: inSeconds(27), fallback: FALLBACK };
    await startRows(rig, 'turns', clips('turns', 7), { parallel: 7, time });
    // All rows begin before the last moment: they wait or were sent.
    await until(async () => {
      const sent = Object.keys(asked('turns')).length;
      return sent + ((await rig.client.arbiter.view())?.waiting.length ?? 0) >= 7;
    });
    expect((await readyBy('turns'))?.fallback).toBe(0);
    expect((await batchEnded(rig, 'turns')).state).toBe('completed');
    const { asWritten, lowered } = await shown('turns');
    expect(Object.keys(asked('turns'))).toHaveLength(7);
    expect(asWritten.length).toBeGreaterThan(0);
    expect(lowered.length).toBeGreaterThan(0);
  });

  it('finds a task that was sent by the fallback when its row begins again, whatever the time is then', async () => {
    await startRows(rig, 'anew', clips('anew', 1), { time: { readyBy: inSeconds(DUE_SECONDS), fallback: FALLBACK } });
    await until(() => asked('anew')['r1'] !== undefined);
    const { workflow } = rig.temporal.client;
    await workflow.getHandle(batchWorkflowId(rig.store.id, 'anew')).terminate();
    await workflow.getHandle(shotWorkflowId(rig.store.id, 'anew', 'r1')).terminate();
    await startRows(rig, 'anew', clips('anew', 1), { time: { readyBy: inSeconds(FAR_SECONDS), fallback: FALLBACK } });
    expect(await batchEnded(rig, 'anew')).toMatchObject({ state: 'completed', readyBy: { fallback: 1 } });
    expect(asked('anew')).toEqual({ r1: [4] });
  });

  it('keeps a task that was sent as written, although its row begins again after the last moment', async () => {
    await startRows(rig, 'kept', clips('kept', 1), { time: { readyBy: inSeconds(FAR_SECONDS), fallback: FALLBACK } });
    await until(() => asked('kept')['r1'] !== undefined);
    const { workflow } = rig.temporal.client;
    await workflow.getHandle(batchWorkflowId(rig.store.id, 'kept')).terminate();
    await workflow.getHandle(shotWorkflowId(rig.store.id, 'kept', 'r1')).terminate();
    const more = { time: { readyBy: inSeconds(DUE_SECONDS), fallback: FALLBACK } };
    await startRows(rig, 'kept', clips('kept', 2), more);
    expect(await batchEnded(rig, 'kept')).toMatchObject({ state: 'completed', readyBy: { fallback: 1 } });
    expect(asked('kept')).toEqual({ r1: [5], r2: [4] });
  });

  it('only warns if the file names no fallback, or if the duration of tasks is unknown', async () => {
    await startRows(rig, 'warned', clips('warned', 2), { parallel: 1, time: { readyBy: inSeconds(DUE_SECONDS) } });
    const warned = await until(async () => {
      const now = await readyBy('warned');
      return now?.warning != null && now;
    });
    expect(warned).toMatchObject({ lastMoment: null, warning: expect.stringContaining('names no fallback') });
    expect(await batchEnded(rig, 'warned')).toMatchObject({ state: 'completed', readyBy: { fallback: 0 } });
    expect(asked('warned')).toEqual({ r1: [5], r2: [5] });

    // The second one begins after the time, so it is late by any estimate.
    const time = { readyBy: inSeconds(DUE_SECONDS), fallback: { model: 'beta-video' } };
    const rows = ['r1', 'r2'].map((key) => ({ key, model: 'alpha-video', prompt: `unknown: ${key}` }));
    await startRows(rig, 'unknown', rows, { parallel: 1, time });
    const unknown = await until(async () => {
      const now = await readyBy('unknown');
      return now?.warning != null && now;
    });
    expect(unknown).toMatchObject({ urgentFrom: null, lastMoment: null });
    expect(unknown.warning).toMatch(/how long tasks of alpha-\S+ take is not known yet/);
    expect(await batchEnded(rig, 'unknown')).toMatchObject({ state: 'completed', readyBy: { fallback: 0 } });
    expect(rig.sandbox.tasks().at(-1)).toMatchObject({
      model: expect.stringMatching(/^alpha/),
      parameters: { prompt: 'unknown: r2' },
    });
  });

  it('renders nothing by the fallback once it is cancelled, even if rows wait at the last moment', async () => {
    await limit({ inFlight: 1 });
    const time = { readyBy: inSeconds(13), fallback: FALLBACK };
    await startRows(rig, 'cancelled', clips('cancelled', 4), { parallel: 3, time });
    const submitted = () => Object.values(asked('cancelled')).flat();
    await until(async () => submitted().length === 1 && (await rig.client.arbiter.view())?.waiting.length === 2);
    await rig.client.batches.cancel('cancelled');
    expect(await batchEnded(rig, 'cancelled')).toMatchObject({ state: 'cancelled' });
    expect(submitted()).toHaveLength(1);
  });

  it('passes its readyBy to productions that name none', async () => {
    const shot = (id: string): object => ({ ...clipRow('x', { prompt: `own: ${id}` }), key: undefined, id: 's' });
    const rows = [
      { id: 'p1', shots: [shot('p1')] },
      { id: 'p2', shots: [shot('p2')], readyBy: inSeconds(FAR_SECONDS) },
    ];
    const time = { readyBy: inSeconds(DUE_SECONDS), fallback: FALLBACK };
    await startRows(rig, 'own', rows, { time });
    expect(await batchEnded(rig, 'own')).toMatchObject({
      state: 'completed',
      readyBy: { at: time.readyBy, fallback: 1 },
    });
    expect(asked('own')).toEqual({ p1: [4], p2: [5] });
    expect((await lines('own')).map(({ key, fallback }) => [key, fallback])).toEqual([
      ['p1', true],
      ['p2', false],
    ]);
  });

  it('carries its deadline state into its next history', async () => {
    const client = boundedClient(rig, { mostEvents: 170 });
    const rows = Array.from({ length: 16 }, (_, index) => textRow(`t${index + 1}`));
    const time = { readyBy: inSeconds(DUE_SECONDS), fallback: FALLBACK };
    const all = [...clips('long', 1), ...rows, clipRow('last', { prompt: 'long: last' })];
    await startRows({ client, store: rig.store }, 'long', all, { parallel: 8, time });
    expect(await batchEnded(rig, 'long')).toMatchObject({ state: 'completed', readyBy: { fallback: 2 } });
    const histories = await batchHistories(rig, 'long');
    expect(histories.length).toBeGreaterThan(1);
    expect(Math.max(...histories.map(({ largestPayload }) => largestPayload))).toBeLessThan(1_000 * (rows.length + 2));
    expect(asked('long')).toEqual({ r1: [4], last: [4] });
  });
});
