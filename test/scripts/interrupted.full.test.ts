import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Manifest } from '../../contracts/manifest';
import { type Sandbox, startSandbox } from '../../sandbox';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { dailies, type Ended, type Place, startProcess } from './command';

/** A chain, so that one shot after the other is bought. */
const FILM = `
title: Four hours
defaults: { model: beta-video, duration: 4, resolution: 480p, colorDepth: 8bit }
shots:
  - { id: one, prompt: The first hour. }
  - { id: two, prompt: The second hour., startFrame: { lastFrameOf: one } }
  - { id: three, prompt: The third hour., startFrame: { lastFrameOf: two } }
  - { id: four, prompt: The last hour., startFrame: { lastFrameOf: three } }
`;

/** Long enough for something to be under way when the production is interrupted. */
const TASK_SECONDS = 3;

/** Takes as long as a shot, so that an interrupted production would have time to buy its next one. */
const SOMETHING_ELSE = ['generate', '--model', 'beta-video', '--prompt', 'Something else', '--set', 'duration=4'];

describe('an interrupted production', () => {
  let folder: string;
  let place: Place;
  let gateway: Sandbox;
  beforeEach(async () => {
    folder = await temporaryFolder();
    gateway = await startSandbox({ folder: join(folder, 'gateway'), renderSeconds: TASK_SECONDS, ...PLAIN });
    place = { folder, env: { DAILIES_GATEWAY_URL: gateway.url, DAILIES_GATEWAY_KEY: 'any' } };
    writeFileSync(join(folder, 'film.yaml'), FILM);
    const first = startProcess(['render', 'film.yaml'], place);
    await until(() => /^one: completed/m.test(first.stderr()) && first);
    first.process.kill('SIGINT');
    const { stderr } = await first.ended;
    expect(stderr).toContain('`dailies render film.yaml` goes on where this stopped');
    expect(boughtFilm().length).toBeLessThan(4);
  });
  afterEach(() => gateway.close());

  /** Prompts of the film that the gateway has accepted. */
  const boughtFilm = (): readonly string[] => {
    const prompts = gateway.tasks().map(({ parameters }) => String(parameters['prompt']));
    return [...new Set(prompts.filter((prompt) => / hour/.test(prompt)))].toSorted();
  };

  it('buys nothing while another command runs the set, and continues by the command that a retake with --no-wait names', async () => {
    const bought = boughtFilm();
    const other = startProcess(SOMETHING_ELSE, place);
    await until(() => other.stderr().includes('Task "') && other);
    expect(other.stderr()).toContain('Held because they were interrupted: film.');
    const during = await dailies(['list'], place);
    expect(during.stdout).toContain('held');
    expect((await other.ended).exitCode).toBe(0);
    expect(boughtFilm()).toEqual(bought);
    expect((await dailies(['status', 'film'], place)).stdout).toContain('held');

    const retaken = await dailies(['retake', 'film', 'four', '--prompt', 'Another hour.', '--yes', '--no-wait'], place);
    expect(retaken.exitCode).toBe(0);
    const [, file = ''] = /"film" waits; `dailies render (\S+) --id film` goes on with it/.exec(retaken.stderr) ?? [];
    const ended = await dailies(['render', file, '--id', 'film', '--json'], place);
    expect(ended.stderr).not.toContain('Held');
    expect(manifestOf(ended)).toMatchObject({ state: 'completed', credits: { charged: 80, unclearSubmits: 0 } });
    expect(boughtFilm()).toHaveLength(4);
    expect(boughtFilm()).toContain('Another hour.');
  });

  it('buys nothing of an earlier version of its file, and renders the current one once it is cancelled', async () => {
    const bought = boughtFilm();
    // Meanwhile the paid task is collected, so that the next shot waits only for the person.
    await dailies(SOMETHING_ELSE, place);
    writeFileSync(join(folder, 'film.yaml'), FILM.replace('The last hour.', 'The hour after that.'));
    const refused = await dailies(['render', 'film.yaml'], place);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('dailies cancel film');
    expect(boughtFilm()).toEqual(bought);

    expect((await dailies(['cancel', 'film'], place)).exitCode).toBe(0);
    expect(boughtFilm()).toEqual(bought);
    const cancelled = manifestOf(await dailies(['status', 'film', '--json'], place));
    expect(cancelled.state).toBe('cancelled');
    expect(cancelled.shots.flatMap(({ takes }) => takes.map(({ state }) => state))).not.toContain('submitting');

    const ended = await dailies(['render', 'film.yaml', '--json'], place);
    expect(manifestOf(ended)).toMatchObject({ state: 'completed', credits: { charged: 80 } });
    const prompts = boughtFilm();
    expect(prompts).toHaveLength(4);
    expect(prompts).toContain('The hour after that.');
  });

  it('continues under dailies up', async () => {
    await dailies([...SOMETHING_ELSE, '--set', 'resolution=480p'], place);
    const up = startProcess(['up'], place);
    await until(() => up.stderr().includes('Going on with what was interrupted: film.') && up);
    await until(async () => (await dailies(['status', 'film'], place)).stdout.includes('completed,'));
    up.process.kill('SIGTERM');
    expect((await up.ended).exitCode).toBe(0);
    expect(boughtFilm()).toHaveLength(4);
  });
});

function manifestOf({ stdout }: Ended): Manifest {
  return Manifest.parse(JSON.parse(stdout));
}
