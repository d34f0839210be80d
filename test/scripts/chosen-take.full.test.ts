import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Rig, rigEnv, startRig } from '../support/rig';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies, type Ended, type Place } from './command';

describe('a take that a person chose over another', () => {
  let rig: Rig;
  let place: Place;
  beforeAll(async () => {
    rig = await startRig();
    place = { folder: await temporaryFolder(), env: rigEnv(rig) };
    writeFileSync(
      join(place.folder, 'film.yaml'),
      'shots: [{ id: gull, model: beta-video, prompt: A gull., duration: 4, resolution: 480p }]',
    );
    await run('render', 'film.yaml', '--quiet');
    await run('retake', 'film', 'gull', '--prompt', 'Two gulls.', '--yes', '--quiet');
  });
  afterAll(() => rig.close());

  const run = (...args: readonly string[]): Promise<Ended> => dailies(args, place);
  const accepted = (): number => rig.sandbox.tasks().length;
  const sheet = (): string => readFileSync(join(place.folder, 'out', 'film', 'index.html'), 'utf8');

  it('is chosen with its own prompt, and leaves the direction for the next take', async () => {
    expect(sheet()).toContain('<p class="prompt">Two gulls.</p>');
    const { exitCode, stderr } = await run('choose', 'film', 'gull', '1', '--quiet');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('a new take of it would differ from this one: prompt A gull. -> Two gulls.');
    expect(sheet()).toContain('<p class="prompt">A gull.</p>');
    const { stdout } = await run('plan', 'film.yaml');
    expect(stdout).toContain('reused, take 1, chosen; a new take would differ: prompt A gull. -> Two gulls.');
    expect(stdout).not.toContain('directed');
    // With a file extension that a player opens.
    const place = join('out', 'film', 'takes', 'gull-take-1.mp4');
    expect((await run('takes', 'film', 'gull')).stdout).toContain(place);
  });

  it('can be collected again after a prune, at no cost, while the gateway has it', async () => {
    const look = await run('prune', '--dry-run');
    expect(look.stdout).toContain('gull (take 2)');
    expect(look.stdout).toMatch(/downloaded again at no cost/);
    await run('prune', '--yes');
    const paid = accepted();
    const back = await run('choose', 'film', 'gull', '2', '--quiet');
    expect(back).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('it is collected anew at no cost') });
    expect(accepted()).toBe(paid);
    expect(sheet()).toContain('<p class="prompt">Two gulls.</p>');
  });
});
