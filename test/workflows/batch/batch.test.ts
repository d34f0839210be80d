import { shotWorkflowId } from '../../../contracts/identifiers';
import { type SandboxTask } from '../../../sandbox';
import { batchEnded, startRows, textRow, textRows } from '../../support/batches';
import { type Rig, startRig } from '../../support/rig';
import { until } from '../../support/until';

describe('a batch', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });

  afterAll(async () => {
    await rig.close();
  });

  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  const accepted = (): readonly SandboxTask[] => rig.sandbox.tasks();
  const promptsSince = (before: number): readonly string[] =>
    accepted()
      .slice(before)
      .map(({ parameters }) => String((parameters as { prompt?: string }).prompt))
      .toSorted();
  const begun = (id: string): Promise<number> => rig.store.ledger.shots(id).then((shots) => shots.length);

  it('renders every row once, in a window', async () => {
    const before = accepted().length;
    expect(await startRows(rig, 'plain', textRows(12), { parallel: 3 })).toEqual({ is: 'begun', rows: 12, open: 12 });
    const most: number[] = [];
    await until(async () => {
      const live = await rig.client.batches.live('plain');
      most.push(live.status?.underWay.length ?? 0);
      return !live.isRunning;
    });
    expect(await rig.client.batches.report('plain')).toMatchObject({
      state: 'completed',
      rows: 12,
      counts: { completed: 12, failed: 0, pending: 0 },
      credits: 12,
    });
    expect(accepted().length - before).toBe(12);
    expect(new Set(promptsSince(before)).size).toBe(12);
    expect(Math.max(...most)).toBeLessThanOrEqual(3);
  });

  it('started again, renders only missing or changed rows, wherever they are in the file', async () => {
    await startRows(rig, 'again', textRows(5));
    await batchEnded(rig, 'again');
    const before = accepted().length;
    expect(await startRows(rig, 'again', textRows(5))).toEqual({ is: 'nothing', rows: 5, open: 0 });
    expect(await rig.client.batches.report('again')).toMatchObject({ state: 'completed', counts: { completed: 5 } });

    const [first, , ...others] = textRows(5).toReversed();
    const changed = [...others, textRow('r4', { prompt: 'another' }), first ?? {}, textRow('new')];
    expect(await startRows(rig, 'again', changed)).toEqual({ is: 'begun', rows: 6, open: 2 });
    expect(await batchEnded(rig, 'again')).toMatchObject({ state: 'completed', counts: { completed: 6 } });
    expect(promptsSince(before)).toEqual(['another', 'the lighthouse, new']);
  });

  it('runs once for each id: a start with the same rows joins, one with other rows is refused', async () => {
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 1 });
    await startRows(rig, 'joined', [textRow('a', { deadline: 900 })]);
    await until(async () => (await begun('joined')) === 1);
    expect(await startRows(rig, 'joined', [textRow('a', { deadline: 900 })])).toMatchObject({ is: 'joined' });
    await expect(startRows(rig, 'joined', [textRow('b')])).rejects.toThrow('is running with other rows');
    await expect(startRows(rig, 'joined', [textRow('a')], { file: 'other.yaml' })).rejects.toThrow(
      'was last begun from',
    );
    // Refused: the id still belongs to the first file.
    const other = { file: 'other.yaml', takeOver: true };
    await expect(startRows(rig, 'joined', [textRow('b')], other)).rejects.toThrow('is running with other rows');
    expect((await rig.store.batches.source('joined'))?.path).toMatch(/joined\.yaml$/);
    await rig.temporal.client.workflow.getHandle(shotWorkflowId(rig.store.id, 'joined', 'a')).terminate();
    expect(await batchEnded(rig, 'joined')).toMatchObject({ state: 'incomplete', counts: { failed: 1 } });
  });
});
