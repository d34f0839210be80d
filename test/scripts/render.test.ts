import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Manifest } from '../../contracts/manifest';
import { probe } from '../../media';
import { hashFile } from '../../store';
import { PAINTED_ENV } from '../support/pictures';
import { killSet, runningParts } from '../support/running-parts';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { acceptedTasks } from './accepted-tasks';
import { dailies, type Ended, type Place, startProcess } from './command';

/** A chain of two beside a third shot. */
const FILM = `
title: Two mornings
defaults: { model: beta-video, duration: 4, resolution: 480p, colorDepth: 8bit }
shots:
  - { id: dawn, prompt: The sun comes up over the sea., caption: It is early. }
  - { id: day, prompt: The day begins., startFrame: { lastFrameOf: dawn } }
  - { id: night, prompt: Stars over a hill. }
`;

describe('dailies render with nothing configured', () => {
  let folder: string;
  // Its clips take a while to paint: the tests look at what there is meanwhile.
  let place: Place;
  beforeEach(async () => {
    folder = await temporaryFolder();
    place = { folder, env: PAINTED_ENV };
    writeFileSync(join(folder, 'film.yaml'), FILM);
  });
  afterEach(async () => {
    // If a test fails halfway, its set must not outlive it.
    killSet(folder);
    await until(() => runningParts(folder).length === 0);
  });

  it('renders the film, shares its set with a second command, leaves nothing running and buys nothing twice', async () => {
    const first = startProcess(['render', 'film.yaml', '--json'], place);
    await until(() => /^dawn: renders/m.test(first.stderr()) && first);
    const [ended, attached, looked] = await Promise.all([
      first.ended,
      dailies(['render', 'film.yaml', '--out', 'elsewhere', '--json'], place),
      dailies(['status', 'film', '--json'], place),
    ]);
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(ended.stderr).toContain('nothing costs real money');
    expect(attached.stderr).toContain('Attached to "film"');
    expect(attached.exitCode).toBe(0);
    expect(manifestOf(looked)).toMatchObject({ production: 'film', state: 'running' });
    expect(runningParts(folder)).toEqual([]);

    const manifest = manifestOf(ended);
    expect(manifest).toMatchObject({ production: 'film', title: 'Two mornings', state: 'completed' });
    expect(await probe(manifest.film!.path)).toMatchObject({ width: 854, height: 480 });
    // The duplicate frame of the link is dropped.
    expect(manifest.film?.durationSeconds).toBeCloseTo(12, 0);
    expect(manifest.shots.map(({ id, takes }) => [id, takes.length])).toEqual([
      ['dawn', 1],
      ['day', 1],
      ['night', 1],
    ]);
    expect(manifestOf(attached).film?.sha256).toBe(manifest.film?.sha256);
    await expectFilesOf(manifest);
    const out = join(folder, 'out', 'film');
    expect(JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'))).toEqual(manifest);
    expect(readFileSync(join(out, 'index.html'), 'utf8')).toContain('The sun comes up over the sea.');

    const tasks = acceptedTasks(folder);
    expect(tasks).toHaveLength(3);
    expect(manifest.credits).toEqual({ charged: 3 * 4 * 5, unclearSubmits: 0 });
    const again = await dailies(['render', 'film.yaml'], place);
    expect(again.exitCode).toBe(0);
    expect(again.stdout).toContain('60 charged, 0 of them by this command');
    expect(acceptedTasks(folder)).toEqual(tasks);

    const list = await dailies(['list', '--json'], place);
    expect(JSON.parse(list.stdout)).toMatchObject([
      { production: 'film', state: 'completed', credits: { charged: 60 } },
    ]);
    const kept = await dailies(['status', 'film', '--json'], place);
    expect(manifestOf(kept)).toMatchObject({ state: 'completed', film: { sha256: manifest.film?.sha256 } });
    expect((await dailies(['cancel', 'film'], place)).exitCode).toBe(2);
  });
});

function manifestOf({ stdout }: Ended): Manifest {
  return Manifest.parse(JSON.parse(stdout));
}

async function expectFilesOf({ film, shots }: Manifest): Promise<void> {
  const takes = shots.flatMap((shot) => shot.takes);
  const files = [film, ...takes.map(({ asset }) => asset), ...takes.map(({ lastFrame }) => lastFrame)];
  for (const file of files) expect(await hashFile(file!.path)).toBe(file!.sha256);
}
