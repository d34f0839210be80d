import { type ShotStatus } from '../../contracts/status';
import { type FaultName } from '../../sandbox/faults/fault-table';
import { type FolderStore } from '../../store';
import { betaShot, film, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

/** What may happen between a person's decision and the parked shot. */
describe('a decision', () => {
  let rig: Rig;

  /** While this is set, a recorded decision is not answered. */
  let silence: Promise<void> | undefined;

  beforeAll(async () => {
    const through = (store: FolderStore): FolderStore => {
      const decide: FolderStore['ledger']['decide'] = async (...args) => {
        const isNoted = await store.ledger.decide(...args);
        await silence;
        return isNoted;
      };
      return { ...store, ledger: { ...store.ledger, decide } };
    };
    rig = await startRig({}, { through });
  });

  afterAll(() => rig.close());

  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  const parked = (id: string): Promise<ShotStatus> =>
    until(async () => (await rig.client.status(id))?.shots.find(({ state }) => state === 'parked'));

  /** Starts a production whose one shot is parked. */
  async function park(id: string, kind: FaultName = 'accept-500'): Promise<string> {
    rig.sandbox.faults.inject({ kind, count: 1 });
    await rig.start(film(id, [betaShot('one')]), { assemble: false });
    await parked(id);
    return rig.sandbox.tasks().at(-1)?.id ?? '';
  }

  it('is refused for a clip that cannot be read, and changes nothing', async () => {
    const taskId = await park('no-clip');
    const description = { mediaType: 'video/mp4', durationSeconds: 4, width: 640, height: 360 };
    const asset = await rig.store.assets.putBytes(Buffer.alloc(10_000, 'no film'), description);
    await expect(rig.client.resolve('no-clip', 'one', { kind: 'use', asset })).rejects.toThrow('nothing has changed');
    expect((await rig.store.ledger.takes('no-clip', 'one'))[0]?.decisions).toEqual([]);
    await rig.client.resolve('no-clip', 'one', { kind: 'adopt', taskId });
    expect(await rig.client.ended('no-clip')).toMatchObject({ state: 'completed' });
  });

  it('to skip a shot holds in the next render, and can be taken back after it', async () => {
    await park('left-out', 'task-content-policy');
    await rig.client.resolve('left-out', 'one', { kind: 'skip' });
    await rig.client.ended('left-out');
    const before = rig.sandbox.tasks().length;
    const again = (): ReturnType<Rig['render']> => rig.render(film('left-out', [betaShot('one')]), { assemble: false });
    expect(await again()).toMatchObject({ shots: [{ state: 'skipped' }] });
    expect(rig.sandbox.tasks()).toHaveLength(before);
    await expect(rig.client.resolve('left-out', 'one', { kind: 'wait' })).rejects.toThrow('not under way');
    await rig.client.resolve('left-out', 'one', { kind: 'resubmit' });
    expect(await again()).toMatchObject({ shots: [{ state: 'completed' }] });
    expect(rig.sandbox.tasks()).toHaveLength(before + 1);
    await expect(rig.client.resolve('left-out', 'one', { kind: 'resubmit' })).rejects.toThrow('not under way');
  });
});
