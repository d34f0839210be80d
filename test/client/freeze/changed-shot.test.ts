import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refused } from '../../../client';
import { type ChangedShot, changedShot, type ShotChanges } from '../../../client/freeze/changed-shot';
import { type FrozenShot } from '../../../contracts/render/frozen';
import { type Store } from '../../../store';
import { newStore } from '../../books/store-with-takes';
import { fileWith, policy } from '../../production-file/production-fixtures';
import { betaShot, film, linkedShot } from '../../support/rig';
import { temporaryFolder } from '../../support/temporary-folder';

const MEDIA = join(__dirname, '..', '..', 'production-file', 'broken', 'files');

describe('a changed shot', () => {
  let store: Store;
  beforeEach(async () => {
    store = await newStore();
  });

  async function changed(shots: FrozenShot[], id: string, changes: ShotChanges, file?: string): Promise<ChangedShot> {
    const before = shots.find((shot) => shot.id === id)!;
    const context = { policy, assets: store.assets, file };
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

  it('is refused with other parameters if the schema that the file names for its model cannot be read', async () => {
    const text = 'models: { zoom-9: { schema: zoom.json }, pixel-1: { schema: nowhere.json } }\nshots: []';
    const schema = JSON.stringify({ type: 'object', properties: { steps: { type: 'integer', maximum: 50 } } });
    const file = await fileWith(text, { 'zoom.json': schema });
    const shots = [betaShot('a'), betaShot('b', { model: { id: 'zoom-9', output: 'video' }, parameters: {} })];
    const change = (id: string, changes: ShotChanges) => changed(shots, id, changes, file);
    const steps = (count: number): ShotChanges => ({ parameters: { steps: count } });
    expect((await change('b', steps(9))).shot.parameters).toEqual({ steps: 9 });
    await expect(change('b', steps(99))).rejects.toThrow('at most 50');

    const breakings: readonly [() => Promise<void>, string][] = [
      [() => rm(join(file, '..', 'zoom.json')), '"zoom.json" cannot be read'],
      [() => writeFile(file, text.replace('schema: zoom.json', 'schema: 5')), 'schema'],
      [() => writeFile(file, 'models: { zoom-9: ['), 'is broken'],
      [() => writeFile(file, ''), 'is empty'],
      [() => rm(file), 'film.yaml cannot be read, and may name a schema of them; put the file back, or render'],
    ];
    for (const [breakIt, why] of breakings) {
      await breakIt();
      const refusal: unknown = await change('b', steps(9)).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(Refused);
      expect((refusal as Refused).message).toContain('the parameters of zoom-9 cannot be checked');
      expect((refusal as Refused).message).toContain(why);
      await expect(change('a', { model: 'zoom-9' })).rejects.toThrow(Refused);
      expect((await change('b', {})).shot.parameters).toEqual({});
      expect((await change('a', { prompt: 'Sea' })).names).toEqual(['prompt']);
    }
  });
});
