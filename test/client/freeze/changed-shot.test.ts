import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refused } from '../../../client';
import { type ChangedShot, changedShot, type ShotChanges } from '../../../client/freeze/changed-shot';
import { type FrozenShot } from '../../../contracts/render/frozen';
import { type Store } from '../../../store';
import { newStore } from '../../books/store-with-takes';
import { policy } from '../../production-file/production-fixtures';
import { betaShot, film, linkedShot } from '../../support/rig';
import { temporaryFolder } from '../../support/temporary-folder';

const MEDIA = join(__dirname, '..', '..', 'production-file', 'broken', 'files');

describe('a changed shot', () => {
  let store: Store;
  beforeEach(async () => {
    store = await newStore();
  });

  async function changed(shots: FrozenShot[], id: string, changes: ShotChanges): Promise<ChangedShot> {
    const before = shots.find((shot) => shot.id === id)!;
    const context = { policy, assets: store.assets, file: undefined };
    const result = await changedShot(film('film', shots), before, changes, context);
    if ('issues' in result) throw new Error(JSON.stringify(result.issues));
    return result;
  }

  it('still has its colors corrected if it starts on the last frame of another shot', async () => {
    const anchored = { startFrame: { kind: 'link', shot: 'c', frame: 'last', anchor: 'a' } } as const;
    const shots = [
      betaShot('a'),
      linkedShot('b', 'a'),
      linkedShot('c', 'b'),
      linkedShot('d', 'c', { files: anchored }),
    ];
    const startOn = async (shot: string) =>
      (await changed(shots, 'd', { parameters: { startFrame: { lastFrameOf: shot } } })).shot.files['startFrame'];
    expect(await startOn('b')).toEqual({ kind: 'link', shot: 'b', frame: 'last', anchor: 'a' });
    expect(await startOn('a')).toEqual({ kind: 'link', shot: 'a', frame: 'last' });
  });

  it('is refused if one of its files changes before it is confirmed', async () => {
    const path = join(await temporaryFolder(), 'start.png');
    await copyFile(join(MEDIA, 'frame.png'), path);
    const shot = await changed([betaShot('a')], 'a', { parameters: { startFrame: path } });
    await shot.putFiles();
    await copyFile(join(MEDIA, 'large.png'), path);
    await expect(shot.putFiles()).rejects.toThrow(Refused);
  });
});
