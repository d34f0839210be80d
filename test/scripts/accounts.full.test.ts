import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Manifest } from '../../contracts/manifest';
import { type Sandbox, startSandbox } from '../../sandbox';
import { filesWith } from '../support/files-with';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { dailies, startDailies } from './command';

const KEY = 'sk-the-key-of-the-other-account';

const FILM = `
title: Twice
defaults: { model: beta-video, duration: 4, resolution: 480p }
shots:
  - { id: one, prompt: The sea. }
  - { id: two, prompt: The sea at night., startFrame: { lastFrameOf: one } }
`;

describe('one store, two gateways', () => {
  let folder: string;
  let other: Sandbox;

  beforeAll(async () => {
    folder = await temporaryFolder();
    await writeFile(join(folder, 'film.yaml'), FILM);
    other = await startSandbox({ folder: join(folder, 'other'), apiKey: KEY, ...PLAIN });
  });

  afterAll(() => other.close());

  it('uses no take of the first for the second, and stores the key nowhere', async () => {
    const first = Manifest.parse(JSON.parse((await dailies(['render', 'film.yaml', '--json'], { folder })).stdout));
    const env = { DAILIES_GATEWAY_URL: other.url, DAILIES_GATEWAY_KEY: KEY };
    const rendering = startDailies(['render', 'film.yaml', '--json'], { folder, env });
    await until(() => other.tasks().length > 0);
    expect(await filesWith(KEY, folder)).toEqual([]);
    const second = await rendering.ended;
    expect(second.exitCode).toBe(0);
    const manifest = Manifest.parse(JSON.parse(second.stdout));
    expect(other.tasks()).toHaveLength(2);
    expect(manifest.shots.map(({ takes }) => takes.map(({ taskId }) => taskId))).toEqual(
      other.tasks().map(({ id }) => [id]),
    );
    expect(manifest.credits).toEqual({
      charged: other.tasks().reduce((sum, { credits }) => sum + credits, 0),
      unclearSubmits: 0,
    });
    expect(first.shots.flatMap(({ takes }) => takes.map(({ taskId }) => taskId))).not.toEqual(
      expect.arrayContaining([other.tasks()[0]?.id]),
    );
    expect(second.stderr + second.stdout).not.toContain(KEY);
    expect(await filesWith(KEY, folder)).toEqual([]);
    // The search works: it finds text that histories have in the database's files.
    expect(
      (await filesWith('productionStatus', folder)).length + (await filesWith('take', folder)).length,
    ).toBeGreaterThan(2);
  });
});
