import { driftsOf } from '../../client/continuity';
import { type AssetRef } from '../../contracts/asset';
import { type Manifest } from '../../contracts/manifest';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { tellOfDrift } from '../../scripts/report';
import { measuredOnce, type Store } from '../../store';
import { newStore } from '../books/store-with-takes';
import { betaShot, film, linkedShot } from '../support/rig';

/** A clip of one brightness, as far as the meter knows. */
async function clip(store: Store, words: string, brightness: number): Promise<AssetRef> {
  const description = { mediaType: 'video/mp4', durationSeconds: 4, width: 1, height: 1 };
  const asset = await store.assets.putBytes(Buffer.from(words), description);
  const measures = { brightness, contrast: 50, red: brightness, green: brightness, blue: brightness };
  await measuredOnce(store, asset, () => Promise.resolve(measures));
  return asset;
}

function completed(id: string, clips: readonly AssetRef[], filmTake: number): ShotStatus {
  const takes = clips.map((asset, index) => ({
    take: index + 1,
    takeKey: `${id}-${index}`,
    state: 'completed' as const,
    taskId: null,
    credits: 1,
    asset,
    firstFrame: null,
    lastFrame: null,
    warnings: [],
  }));
  const none = { reason: null, parked: null, review: null, startedAt: null, endedAt: null };
  return { id, model: 'beta-2.5', state: 'completed', takes, filmTake, ...none };
}

describe('the drift meter', () => {
  it('measures the takes that stand for the shots, whichever came last', async () => {
    const store = await newStore();
    const [even, bright] = [await clip(store, 'even', 100), await clip(store, 'bright', 200)];
    const frozen = await store.putJson(film('film', [betaShot('a'), linkedShot('b', 'a'), linkedShot('c', 'b')]));
    const shots = [completed('a', [even, bright], 1), completed('b', [even, bright], 1), completed('c', [bright], 1)];
    const drifts = await driftsOf(store, { production: 'film', frozen, shots } as unknown as ProductionStatus);
    expect(drifts.get('b')).toMatchObject({ first: 'a', brightnessPercent: 0, warning: false, anchorable: false });
    expect(drifts.get('c')).toMatchObject({ first: 'a', brightnessPercent: 100, warning: true, anchorable: true });
  });

  it('recommends to anchor only a shot that this would correct', async () => {
    const store = await newStore();
    const [even, bright] = [await clip(store, 'even', 100), await clip(store, 'bright', 200)];
    const anchored = linkedShot('d', 'c');
    const startFrame = { kind: 'link', shot: 'c', frame: 'last', anchor: 'a' } as const;
    const chain = [betaShot('a'), linkedShot('b', 'a'), linkedShot('c', 'b'), { ...anchored, files: { startFrame } }];
    const frozen = await store.putJson(film('film', chain));
    const shots = ['a', 'b', 'c', 'd'].map((id) => completed(id, [id === 'a' ? even : bright], 1));
    const drifts = await driftsOf(store, { production: 'film', frozen, shots } as unknown as ProductionStatus);
    expect(['b', 'c', 'd'].map((id) => drifts.get(id))).toMatchObject([
      { warning: true, anchorable: false },
      { warning: true, anchorable: true },
      { warning: true, anchorable: false },
    ]);
    const said: string[] = [];
    const stderr = jest.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
    const told = (ids: readonly string[]): string => {
      tellOfDrift({ shots: ids.map((id) => ({ id, drift: drifts.get(id) })) } as unknown as Manifest);
      return said.pop() ?? '';
    };
    expect(told(['b', 'c', 'd'])).toContain('With `anchor: true` the frames that c start on');
    expect(told(['b'])).not.toContain('anchor');
    stderr.mockRestore();
  });
});
