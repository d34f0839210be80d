import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectDailies, type Dailies } from '../../../client';
import { openWire, type Wire } from '../../../drill/wire';
import { type Rig, startRig } from '../../support/rig';
import { temporaryFolder } from '../../support/temporary-folder';
import { until } from '../../support/until';

const FILM = `id: film
shots:
  - { id: a, model: beta-2.5, prompt: first light, duration: 4, resolution: 480p }
`;

const ROWS = `
generations:
  - { key: north, model: beta-2.5, prompt: a sign, duration: 4, resolution: 480p }
`;

/** Longer than Temporal's client tries one call again. */
const AWAY_MS = 25_000;

describe('the functions for programs, where Temporal cannot be reached for a while', () => {
  let rig: Rig;
  let wire: Wire;
  let dailies: Dailies;

  beforeAll(async () => {
    rig = await startRig({ renderSeconds: 4 });
    wire = await openWire(`http://${rig.server.address}`);
    dailies = await connectDailies({
      address: new URL(wire.url).host,
      account: 'sandbox',
      storeFolder: rig.store.folder,
      fileValues: 'auto',
      dataUriMaxBytes: 20_000_000,
    });
  });

  afterAll(async () => {
    await dailies.close();
    await wire.close();
    await rig.close();
  });

  it('wait for it, and bring home what was paid for meanwhile', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'film.yaml'), FILM);
    await writeFile(join(folder, 'rows.yaml'), ROWS);
    const doings = Promise.all([
      dailies.renderProduction(join(folder, 'film.yaml')),
      dailies.generate({ id: 'clip', model: 'beta-2.5', prompt: 'x', parameters: { duration: 4, resolution: '480p' } }),
      dailies.batch(join(folder, 'rows.yaml')),
    ]);
    await Promise.race([doings, until(() => rig.sandbox.tasks().length === 3)]);
    await wire.sever();
    await Promise.race([doings, sleep(AWAY_MS)]);
    await wire.mend();
    const [film, clip, batch] = await doings;
    expect([film.state, clip.state, batch.state]).toEqual(['completed', 'completed', 'completed']);
    expect(rig.sandbox.tasks()).toHaveLength(3);
  });
});
