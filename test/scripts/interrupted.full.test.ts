import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Manifest } from '../../contracts/manifest';
import { setFiles } from '../../workers/embedded/set-files';
import { PAINTED_ENV } from '../support/pictures';
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

/** Takes as long as a shot, so that an interrupted production would have time to buy its next one. */
const SOMETHING_ELSE = ['generate', '--model', 'beta-video', '--prompt', 'Something else', '--set', 'duration=4'];

describe('an interrupted production', () => {
  let folder: string;
  // Its clips take a while to paint, so that there is something to interrupt.
  let place: Place;
  beforeEach(async () => {
    folder = await temporaryFolder();
    place = { folder, env: PAINTED_ENV };
    writeFileSync(join(folder, 'film.yaml'), FILM);
    const first = startProcess(['render', 'film.yaml'], place);
    await until(() => /^one: completed/m.test(first.stderr()) && first);
    first.process.kill('SIGINT');
    const { stderr } = await first.ended;
    expect(stderr).toContain('`dailies render film.yaml` goes on where this stopped');
    expect(boughtFor(folder).length).toBeLessThan(4);
  });

  it('buys nothing while another command runs the set, says so, and continues at the next render', async () => {
    const bought = boughtFor(folder);
    const other = startProcess(SOMETHING_ELSE, place);
    await until(() => other.stderr().includes('Task "') && other);
    expect(other.stderr()).toContain('Held, since interrupted: film.');
    const during = await dailies(['list'], place);
    expect(during.stdout).toContain('held');
    expect((await other.ended).exitCode).toBe(0);
    expect(boughtFor(folder)).toEqual(bought);
    expect((await dailies(['status', 'film'], place)).stdout).toContain('held');

    const ended = await dailies(['render', 'film.yaml', '--json'], place);
    expect(ended.stderr).not.toContain('Held');
    expect(manifestOf(ended)).toMatchObject({ state: 'completed', credits: { charged: 80, unclearSubmits: 0 } });
    expect(boughtFor(folder)).toHaveLength(4);
  });

  it('says after a retake with --no-wait that it waits, and continues by the command that it names', async () => {
    const { exitCode, stderr } = await dailies(
      ['retake', 'film', 'four', '--prompt', 'Another hour.', '--yes', '--no-wait'],
      place,
    );
    expect(exitCode).toBe(0);
    const [, file = ''] = /"film" waits; `dailies render (\S+) --id film` goes on with it/.exec(stderr) ?? [];
    const ended = await dailies(['render', file, '--id', 'film', '--json'], place);
    expect(manifestOf(ended).state).toBe('completed');
    expect(boughtFor(folder)).toContain('Another hour.');
  });

  it('buys nothing of an earlier version of its file, and renders the current one once it is cancelled', async () => {
    const bought = boughtFor(folder);
    // Meanwhile the paid task is collected, so that the next shot waits only for the person.
    await dailies(SOMETHING_ELSE, place);
    writeFileSync(join(folder, 'film.yaml'), FILM.replace('The last hour.', 'The hour after that.'));
    const refused = await dailies(['render', 'film.yaml'], place);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('dailies cancel film');
    expect(boughtFor(folder)).toEqual(bought);

    expect((await dailies(['cancel', 'film'], place)).exitCode).toBe(0);
    expect(boughtFor(folder)).toEqual(bought);
    const cancelled = manifestOf(await dailies(['status', 'film', '--json'], place));
    expect(cancelled.state).toBe('cancelled');
    expect(cancelled.shots.flatMap(({ takes }) => takes.map(({ state }) => state))).not.toContain('submitting');

    const ended = await dailies(['render', 'film.yaml', '--json'], place);
    expect(manifestOf(ended)).toMatchObject({ state: 'completed', credits: { charged: 80 } });
    const prompts = boughtFor(folder);
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
    expect(boughtFor(folder)).toHaveLength(4);
  });
});

function manifestOf({ stdout }: Ended): Manifest {
  return Manifest.parse(JSON.parse(stdout));
}

/** The prompts of the film that the embedded sandbox has accepted. */
function boughtFor(folder: string): readonly string[] {
  const journal = readFileSync(join(setFiles(join(folder, 'store')).sandbox, 'tasks.jsonl'), 'utf8');
  const prompts = [...journal.matchAll(/"prompt":"([^"]* hour[^"]*)"/g)].map(([, prompt]) => prompt ?? '');
  return [...new Set(prompts)].toSorted();
}
