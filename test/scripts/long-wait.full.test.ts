import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Manifest } from '../../contracts/manifest';
import { type Rig, rigEnv, startRig } from '../support/rig';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { dailies, dailiesProcess, startDailies } from './command';

describe('a command that waits for a long time', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig.close());

  it('looks at its task again and again without leaking listeners', async () => {
    // A look every half second: far more than the number of listeners that Node warns of.
    rig.sandbox.faults.inject({ kind: 'slow', on: 'submit', count: 1, seconds: 9 });
    const place = { folder: await temporaryFolder(), env: rigEnv(rig) };
    const generate = ['generate', '--model', 'pixel-image-1', '--output', 'image', '--prompt', 'A poster', '--json'];
    const { exitCode, stdout, stderr } = await dailiesProcess(generate, place);
    expect(stderr).not.toContain('Warning');
    expect({ exitCode, state: (JSON.parse(stdout) as { state: string }).state }).toEqual({
      exitCode: 0,
      state: 'completed',
    });
  });

  it('says when its task was last found pending', async () => {
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 1 });
    const place = { folder: await temporaryFolder(), env: rigEnv(rig) };
    await writeFile(
      join(place.folder, 'read.yaml'),
      'shots: [{ id: a, model: beta-video, prompt: Dawn., duration: 4, resolution: 480p }]\n',
    );
    const began = Date.now();
    const render = startDailies(['render', 'read.yaml'], place);
    const shown = await until(async () => {
      const { exitCode, stdout } = await dailies(['status', 'read', '--json'], place);
      return exitCode === 0 && Manifest.parse(JSON.parse(stdout)).shots[0]?.lastReadAt;
    });
    expect(Date.parse(shown)).toBeGreaterThanOrEqual(began);
    expect((await dailies(['status', 'read'], place)).stdout).toMatch(
      /a +renders \(take 1, task \S+\); still pending at 20/,
    );
    render.signal('SIGINT');
    await render.ended;
  });

  it('has an end that `status` expects by the usual times of the model', async () => {
    const folder = await temporaryFolder();
    const place = { folder, env: rigEnv(rig) };
    const { usualTimes } = rig.store.account('sandbox');
    for (const seconds of [600, 660, 720]) await usualTimes.note('beta-2.5', seconds * 1_000);
    await writeFile(
      join(folder, 'film.yaml'),
      'shots: [{ id: a, model: beta-video, prompt: Dawn., duration: 4, resolution: 480p }]\n',
    );
    rig.sandbox.faults.inject({ kind: 'refuse-503', on: 'read', share: 1 });
    const render = startDailies(['render', 'film.yaml'], place);
    const usual = /^By usual times: about \d+ min \(\d+ to \d+\) to go\.$/m;
    await until(async () => usual.test((await dailies(['status', 'film'], place)).stdout));
    render.signal('SIGINT');
    await render.ended;
  });
});
