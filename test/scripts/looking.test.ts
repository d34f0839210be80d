import { rename, truncate } from 'node:fs/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KNOWN_MODELS } from '../../contracts/gateway/models';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { openStore } from '../../store';
import { address, book } from '../books/store-with-takes';
import { scriptedFfmpeg } from '../media/fixtures';
import { dailies, startDailies } from './command';

describe('verbs that only read', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });

  it('show every parameter of every model, with its bounds and default', async () => {
    for (const { id, parameters } of KNOWN_MODELS) {
      const { stdout, exitCode } = await dailies(['models', id], { folder });
      expect(exitCode).toBe(0);
      for (const name of Object.keys(parameters.shape)) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
    }
    const beta = (await dailies(['models', 'beta-video'], { folder })).stdout;
    expect(beta).toMatch(/^ {2}duration +integer, 4 to 30; default 5$/m);
    expect(beta).toMatch(/^ {2}prompt +string; required$/m);
    expect(beta).toMatch(/^ {2}videoUrls +list of video files$/m);
  });

  it('show the models as JSON', async () => {
    const models = JSON.parse((await dailies(['models', '--json'], { folder })).stdout) as Record<string, unknown>[];
    expect(models.map(({ id }) => id)).toEqual(KNOWN_MODELS.map(({ id }) => id));
    expect(models[0]!['parameters']).toMatchObject({ prompt: { type: 'string', maxLength: 5000 } });
  });

  it('find a valid file valid', async () => {
    writeFileSync(join(folder, 'film.yaml'), 'shots: [{ id: dawn, model: alpha-video, prompt: Dawn. }]');
    const { exitCode, stdout } = await dailies(['validate', 'film.yaml'], { folder });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('"film"');
    const { stdout: json } = await dailies(['validate', 'film.yaml', '--json'], { folder });
    expect(JSON.parse(json)).toEqual({ valid: true, issues: [] });
  });

  it('list nothing in a new store, and start nothing', async () => {
    const { exitCode, stdout, stderr } = await dailies(['list', '--json'], { folder });
    expect({ exitCode, list: JSON.parse(stdout) as unknown }).toEqual({ exitCode: 0, list: [] });
    expect(stderr).toBe(`Store: ${join(folder, 'store')}, which has nothing yet.\n`);
  });

  it('list a production whose records cannot be read', async () => {
    const { productions, folder: place } = await openStore(join(folder, 'store'));
    const frozen = { sha256: 'a'.repeat(64), sizeBytes: 1, mediaType: 'application/json' };
    const production = { ...frozen, durationSeconds: null, width: null, height: null };
    const at = '2026-11-22T02:00:00.000Z';
    for (const id of ['film', 'other']) {
      await productions.begin(id, { renderId: 'render-1', production, account: 'sandbox', at });
    }
    await truncate(join(place, 'productions/film/render.json'), 5);
    const { exitCode, stdout } = await dailies(['list', '--json'], { folder });
    expect(exitCode).toBe(0);
    const listed = JSON.parse(stdout) as { production: string; state: string; reason: string }[];
    expect(listed.map(({ production: id }) => id)).toEqual(['film', 'other']);
    expect(listed[0]).toMatchObject({ state: 'unreadable', reason: expect.stringContaining('render') as string });
  });

  it('check what a render needs, if the store is damaged', async () => {
    const store = await openStore(join(folder, 'store'));
    await truncate(join(store.folder, 'store.json'), 3);
    const env = { DAILIES_GATEWAY_URL: 'http://127.0.0.1:1', DAILIES_GATEWAY_KEY: 'any' };
    const { exitCode, stdout } = await dailies(['doctor', '--json'], { folder, env });
    expect(exitCode).not.toBe(0);
    const { findings } = JSON.parse(stdout) as { findings: { what: string; ok: boolean }[] };
    expect(findings.find(({ what }) => what === 'store')).toMatchObject({ ok: false });
    expect(findings.find(({ what }) => what === 'gateway')).toMatchObject({ ok: false });
  });

  it('say that a run of a schedule has not begun', async () => {
    const { runs } = await openStore(join(folder, 'store'));
    await runs.claim('night', 'night-20261125');
    const { exitCode, stderr } = await dailies(['status', 'night-20261125'], { folder });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('"night-20261125" is a run of the schedule "night" that has not begun');
    expect(stderr).not.toContain('Did you mean');
  });

  it('check what a render needs', async () => {
    const { exitCode, stdout } = await dailies(['doctor', '--json'], { folder });
    expect(exitCode).toBe(0);
    const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: { what: string; found: string }[] };
    expect(ok).toBe(true);
    const looked = ['dailies', 'node', 'ffmpeg', 'store', 'ledger', 'temporal', 'gateway', 'notices'];
    expect(findings.map(({ what }) => what)).toEqual(looked);
    expect(findings.find(({ what }) => what === 'gateway')?.found).toContain('sandbox');
    expect(findings.find(({ what }) => what === 'notices')?.found).toContain('DAILIES_NOTIFY_SECRET');
  });

  it.each([
    ['58. 42.100', true],
    ['59. 37.100', false],
  ])('warn of an ffmpeg that is no longer maintained, by its libavcodec %s', async (libavcodec, isOld) => {
    const { path } = await scriptedFfmpeg(
      folder,
      `if [ "$2" = -version ]; then printf "ffmpeg version N-1\\nlibavcodec     ${libavcodec} / ${libavcodec}\\n"
       else exec "$REAL" "$@"; fi`,
    );
    const own = join(folder, `ffmpeg-${libavcodec.slice(0, 2)}`);
    await rename(path, own);
    const { exitCode, stdout } = await dailies(['doctor'], { folder, env: { FFMPEG_PATH: own } });
    expect(/^ *ffmpeg +ok .*older than ffmpeg 5/m.test(stdout)).toBe(isOld);
    expect(exitCode).toBe(0);
  });

  it('name a take whose records cannot be read', async () => {
    const store = await openStore(join(folder, '.dailies'));
    await book(store, address('dawn'), 'accepted');
    await truncate(join(store.folder, 'ledger/film/dawn/1/intent.json'), 5);
    const { exitCode, stdout } = await dailies(['doctor'], { folder, env: { DAILIES_STORE: store.folder } });
    expect(stdout).toMatch(/^ *ledger +NOT OK .*take 1 of film\/dawn/m);
    expect(exitCode).toBe(2);
  });
});

describe('dailies sandbox', () => {
  it('serves with the variables that it prints, and ends on a signal', async () => {
    const folder = await temporaryFolder();
    const sandbox = startDailies(['sandbox', '--port', '0', '--render-seconds', '600'], { folder });
    const env = await until(() => {
      const pairs = [...sandbox.stdout().matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
      return pairs.length === 3 && (Object.fromEntries(pairs) as Record<string, string>);
    });
    const { exitCode, stdout } = await dailies(['doctor'], { folder, env });
    expect(stdout).toContain('key accepted');
    expect(exitCode).toBe(0);
    const refused = await dailies(['doctor'], { folder, env: { ...env, DAILIES_GATEWAY_KEY: 'another' } });
    expect(refused.exitCode).toBe(2);
    sandbox.signal('SIGTERM');
    expect((await sandbox.ended).exitCode).toBe(0);
  });
});
