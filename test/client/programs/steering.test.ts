import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectDailies, type Dailies, InvalidInput, Refused } from '../../../client';
import { temporaryFolder } from '../../support/temporary-folder';
import { type Rig, startRig } from '../../support/rig';

const film = (prompt: string, more = ''): string => `id: film
${more}shots:
  - { id: a, model: beta-2.5, prompt: first light, duration: 4, resolution: 480p, review: true }
  - { id: b, model: beta-2.5, prompt: ${prompt}, duration: 4, resolution: 480p, startFrame: { lastFrameOf: a } }
`;

describe("a program's calls about a running production", () => {
  let rig: Rig;
  let dailies: Dailies;
  let file: string;

  beforeAll(async () => {
    rig = await startRig();
    dailies = await connectDailies({
      ...{ address: rig.server.address, account: 'sandbox', storeFolder: rig.store.folder },
      ...{ fileValues: 'auto', dataUriMaxBytes: 20_000_000 },
    });
    file = join(await temporaryFolder(), 'film.yaml');
  });

  afterAll(async () => {
    await dailies.close();
    await rig.close();
  });

  it('edit it exactly as planned, pause it, resume it, set its budget, and free what it leaves', async () => {
    await writeFile(file, film('noon', 'budget: { credits: 1000 }\n'));
    expect(await dailies.renderProduction(file)).toMatchObject({ state: 'running', waits: true });

    await writeFile(file, film('dusk', 'budget: { credits: 1000 }\n'));
    const seen = await dailies.planEdit('film', file);
    expect(seen.follows.shots).toMatchObject([{ shot: 'a' }, { shot: 'b', newTakes: 1 }]);
    // The caller carries out the plan later, after a round trip through JSON.
    const kept = JSON.parse(JSON.stringify(seen)) as typeof seen;
    await writeFile(file, film('night', 'budget: { credits: 1000 }\n'));
    await expect(dailies.edit('film', file, kept)).rejects.toThrow(/is not what was planned/);
    await writeFile(file, film('dusk', 'budget: { credits: 1000 }\n'));
    const dear = { ...kept, follows: { ...kept.follows, quote: { ...kept.follows.quote, credits: 0, unknown: 0 } } };
    await expect(dailies.edit('film', file, dear)).rejects.toThrow(Refused);
    expect(await dailies.edit('film', file, kept)).toMatchObject({ revised: true });
    await expect(dailies.planEdit('film', file)).rejects.toThrow(/follows this file already/);

    await dailies.pause('film', { reason: 'the client calls' });
    await expect(dailies.pause('film')).rejects.toThrow(/is paused already/);
    expect(await dailies.status('film')).toMatchObject({
      reason: expect.stringContaining('the client calls') as string,
    });
    await dailies.resume('film');
    await expect(dailies.resume('film')).rejects.toThrow(/is not paused/);

    expect(await dailies.budget('film')).toMatchObject({ credits: 1000 });
    expect(await dailies.budget('film', 500)).toMatchObject({ credits: 500 });
    expect((await dailies.status('film')).budget).toMatchObject({ credits: 500 });
    await expect(dailies.budget('film', -1)).rejects.toThrow(InvalidInput);
    await expect(dailies.budget('no-film')).rejects.toThrow(Refused);

    await dailies.approve('film', 'a');
    const ended = await dailies.waitFor('film');
    expect(ended.state).toBe('completed');
    expect(ended.shots[1]).toMatchObject({ id: 'b' });
    await dailies.retake('film', 'b', { prompt: 'storm' });
    await dailies.waitFor('film');
    const unused = await dailies.planPrune();
    expect(unused.productions).toMatchObject([{ production: 'film', takes: [{ shot: 'b', take: 1 }] }]);
    expect(await dailies.prune(unused)).toMatchObject({ takes: 1, isWhole: true });
    expect(await dailies.planPrune()).toMatchObject({ productions: [] });
  });
});
