import { driftsOf } from '../../../client/status/continuity';
import { withNewDriftWarnings } from '../../../client/status/new-drift-warnings';
import { type AssetRef } from '../../../contracts/asset';
import { type ManifestShot } from '../../../contracts/manifest';
import { type ProductionStatus, type ShotStatus } from '../../../contracts/status';
import { driftWarnings } from '../../../scripts/wording/report';
import { shotDigest, type Store } from '../../../store';
import { newStore } from '../../books/store-with-takes';
import { betaShot, film, linkedShot } from '../../support/rig';

/** A clip of one brightness, according to its stored measures. */
async function clip(store: Store, words: string, brightness: number): Promise<AssetRef> {
  const description = { mediaType: 'video/mp4', durationSeconds: 4, width: 1, height: 1 };
  const asset = await store.assets.putBytes(Buffer.from(words), description);
  const measures = { brightness, contrast: 50, red: brightness, green: brightness, blue: brightness };
  await store.measures.once(asset, () => Promise.resolve(measures));
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
  it('knows when an anchor helps: not for the first clip’s own frame, and not if one is set', async () => {
    const store = await newStore();
    const [even, bright] = [await clip(store, 'even', 100), await clip(store, 'bright', 200)];
    const start = { kind: 'link', shot: 'c', frame: 'last', anchor: 'a' } as const;
    const anchored = betaShot('d', { files: { startFrame: start } });
    const chain = film('film', [betaShot('a'), linkedShot('b', 'a'), linkedShot('c', 'b'), anchored]);
    const shots = ['a', 'b', 'c', 'd'].map((id) => completed(id, [id === 'a' ? even : bright], 1));
    const status = { production: 'film', frozen: await store.putJson(chain), shots } as unknown as ProductionStatus;
    const drifts = await driftsOf(store, status);
    expect([...drifts].map(([id, { anchorHelps }]) => [id, anchorHelps])).toEqual([
      ['b', false],
      ['c', true],
      ['d', false],
    ]);
    const entries = shots.map(({ id }) => ({ id, drift: drifts.get(id) ?? null })) as unknown as ManifestShot[];
    expect(driftWarnings({ production: 'film', shots: entries })).toEqual([
      expect.stringMatching(/: c\. With `anchor: true`/),
      expect.stringMatching(/: b, d\. .*`dailies retake film SHOT`/),
    ]);
    expect(driftWarnings({ production: 'film', shots: entries.slice(0, 1) })).toEqual([]);
  });

  it('does not warn of a shot that is meant to look different, nor of those that continue from it', async () => {
    const store = await newStore();
    const [even, bright] = [await clip(store, 'even', 100), await clip(store, 'bright', 200)];
    const night = { ...linkedShot('c', 'b'), drift: 'expected' } as const;
    const chain = film('film', [betaShot('a'), linkedShot('b', 'a'), night, linkedShot('d', 'c')]);
    const shots = ['a', 'b', 'c', 'd'].map((id) => completed(id, [id === 'a' ? even : bright], 1));
    const status = { production: 'film', frozen: await store.putJson(chain), shots } as unknown as ProductionStatus;
    const drifts = await driftsOf(store, status);
    expect([...drifts].map(([id, { warning, expected }]) => [id, warning, expected])).toEqual([
      ['b', true, undefined],
      ['c', false, true],
      ['d', false, true],
    ]);
    // Drift affects no payment.
    expect(shotDigest(night)).toBe(shotDigest(linkedShot('c', 'b')));
  });

  it('is reported once for each take', async () => {
    const store = await newStore();
    const told = async (filmTake: number): Promise<readonly string[]> => {
      const shots = [completed('b', [], filmTake)];
      const entries = [{ id: 'b', drift: { warning: true, anchorHelps: true } }] as unknown as ManifestShot[];
      return driftWarnings(await withNewDriftWarnings(store, { production: 'film', shots }, { shots: entries }));
    };
    expect(await told(1)).toHaveLength(1);
    expect(await told(1)).toEqual([]);
    expect(await told(2)).toHaveLength(1);
    expect(await told(1)).toEqual([]);
  });

  it('measures the chosen takes, whichever came last', async () => {
    const store = await newStore();
    const [even, bright] = [await clip(store, 'even', 100), await clip(store, 'bright', 200)];
    const frozen = await store.putJson(film('film', [betaShot('a'), linkedShot('b', 'a'), linkedShot('c', 'b')]));
    const shots = [completed('a', [even, bright], 1), completed('b', [even, bright], 1), completed('c', [bright], 1)];
    const drifts = await driftsOf(store, { production: 'film', frozen, shots } as unknown as ProductionStatus);
    expect(drifts.get('b')).toMatchObject({ first: 'a', brightnessPercent: 0, warning: false });
    expect(drifts.get('c')).toMatchObject({ first: 'a', brightnessPercent: 100, warning: true });
  });
});
