import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { againCommand, connectDailies, type Dailies, InvalidInput } from '../../../client';
import { temporaryFolder } from '../../support/temporary-folder';
import { type Rig, startRig } from '../../support/rig';

const SHOT = { id: 'a', model: 'beta-2.5', prompt: 'first light', duration: 4, resolution: '480p' };

describe('a production that a program gives as an object', () => {
  let rig: Rig;
  let dailies: Dailies;
  let folder: string;

  beforeAll(async () => {
    rig = await startRig();
    folder = await temporaryFolder();
    dailies = await connectDailies({
      ...{ address: rig.server.address, account: 'sandbox', storeFolder: rig.store.folder },
      ...{ fileValues: 'auto', dataUriMaxBytes: 20_000_000 },
    });
  });

  afterAll(async () => {
    await dailies.close();
    await rig.close();
  });

  it('is checked like a file, with errors at their paths', async () => {
    const shots = [SHOT, { ...SHOT, id: 'b', duration: 400, startFrame: 'no-such.png' }];
    const refused = await dailies.plan({ id: 'film', shots }, { baseDir: folder }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidInput);
    expect((refused as InvalidInput).message).toMatch(/^shots\[1\]\.duration: .*\n?shots\[1\]\.startFrame: /);
  });

  it('is rendered, and shares no name with a file', async () => {
    const review = { ...SHOT, review: true };
    expect(await dailies.renderProduction({ id: 'film', shots: [review] })).toMatchObject({ waits: true });
    expect(await againCommand(rig.store, { what: 'production', id: 'film' })).not.toContain('FILE');
    const other = { id: 'film', shots: [{ ...review, prompt: 'dusk' }] };
    await expect(dailies.renderProduction(other)).rejects.toThrow('`edit` of the client gives it this one');
    await dailies.edit('film', other, await dailies.planEdit('film', other));
    expect(await againCommand(rig.store, { what: 'production', id: 'film' })).not.toContain('FILE');

    const file = join(folder, 'film.yaml');
    await writeFile(file, JSON.stringify(other));
    await expect(dailies.plan(file)).rejects.toThrow(/last rendered from an object that a program gave/);
    await dailies.cancel('film');
    await dailies.waitFor('film');
    await dailies.renderProduction(file, { id: 'film', wait: false });
    await expect(dailies.plan(other)).rejects.toThrow(/last rendered from \/.*film\.yaml, and this is an object/);
  });
});
