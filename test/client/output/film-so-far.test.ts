import { filmSoFar } from '../../../client';
import { type AssetRef } from '../../../contracts/asset';
import { type ProductionStatus, type ShotStatus } from '../../../contracts/status';
import { newStore } from '../../books/store-with-takes';
import { betaShot, film } from '../../support/rig';

describe('a film of the clips so far', () => {
  it('says why each missing clip is missing', async () => {
    const store = await newStore();
    const production = film(
      'film',
      ['whole', 'lost', 'reviewed', 'late'].map((id) => betaShot(id)),
    );
    const clip = await store.putJson('a clip');
    const lost: AssetRef = { ...clip, sha256: '0'.repeat(64) };
    const shot = (id: string, state: string, asset: AssetRef | null, reason: string | null = null) =>
      ({
        id,
        state,
        reason,
        filmTake: 1,
        takes: asset === null ? [] : [{ take: 1, state: 'completed', asset }],
      }) as unknown as ShotStatus;
    const shots = [
      shot('whole', 'completed', clip),
      shot('lost', 'completed', lost),
      shot('reviewed', 'review', clip),
      shot('late', 'parked', null, 'it has not ended'),
    ];
    const status = { production: 'film', frozen: clip, shots } as unknown as ProductionStatus;
    const { missing, input } = await filmSoFar(store.assets, production, status);
    expect(input.clips.map(({ shotId }) => shotId)).toEqual(['whole']);
    expect(missing).toEqual([
      { shot: 'lost', state: 'completed', reason: expect.stringContaining('missing or damaged in the store') },
      { shot: 'reviewed', state: 'review', reason: expect.stringContaining('dailies approve film reviewed --take 1') },
      { shot: 'late', state: 'parked', reason: 'it has not ended' },
    ]);
    await expect(filmSoFar(store.assets, production, { ...status, shots: shots.slice(1) })).rejects.toThrow(
      /is there yet:\n {2}lost \(completed\): its clip[^]*\n {2}reviewed \(review\): it waits for your approval[^]*\n {2}late/,
    );
    const skipped = shots.map((one) => ({ ...one, state: 'skipped' as const }));
    await expect(filmSoFar(store.assets, production, { ...status, shots: skipped })).rejects.toThrow(
      'every video shot of production "film" was skipped',
    );
  });
});
