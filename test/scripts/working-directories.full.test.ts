import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Manifest } from '../../contracts/manifest';
import { type Sandbox, startSandbox } from '../../sandbox';
import { openStore } from '../../store';
import { recordRun } from '../support/batch-records';
import { ADDRESS, intent } from '../support/ledger-fixtures';
import { filesWith } from '../support/files-with';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { dailies, type Place, startDailies } from './command';

const KEY = 'a-key-of-the-directories';

const FILM = `
title: One still
models: { pixel-image-1: { output: image } }
defaults: { model: pixel-image-1 }
shots:
  - { id: dawn, prompt: The sun comes up. }
  - { id: dusk, prompt: The sun goes down. }
`;

describe('one production, several working directories', () => {
  let root: string;
  let gateway: Sandbox;
  let up: ReturnType<typeof startDailies> | undefined;
  beforeAll(async () => {
    root = realpathSync(await temporaryFolder());
    for (const folder of ['my project/films', 'elsewhere']) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, 'my project', 'films', 'film.yaml'), FILM);
    gateway = await startSandbox({ folder: join(root, 'gateway'), apiKey: KEY, ...PLAIN });
  });
  afterAll(async () => {
    up?.signal('SIGINT');
    await up?.ended;
    await gateway.close();
  });

  /** A person in that directory, with a gateway that costs money and no store in the environment. */
  function run(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    return dailies(args, placeOf(folder, env));
  }

  function placeOf(folder: string, env: Readonly<Record<string, string>> = {}): Place {
    const own = { DAILIES_GATEWAY_URL: gateway.url, DAILIES_GATEWAY_KEY: KEY, DAILIES_STORE: '', ...env };
    return { folder: join(root, folder), env: own };
  }

  it('is not started on a new ledger without confirmation, and is paid for once', async () => {
    const refused = await run('my project', ['render', 'films/film.yaml']);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(
      `The ledger in ${join(root, 'my project', '.dailies')} is new: no other was found in`,
    );
    expect(refused.stderr).toContain(`DAILIES_STORE='${join(root, 'my project', '.dailies')}'`);
    const again = await run('my project', ['render', 'films/film.yaml']);
    expect(again.exitCode).toBe(2);
    const studio = await run('my project', ['studio', '--no-open']);
    expect(studio).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is new: no other was') as string });
    expect(gateway.tasks()).toHaveLength(0);

    // One set for all renders; otherwise each would start its own.
    up = startDailies(['up'], placeOf('my project', { DAILIES_STORE: '.dailies' }));
    await until(() => up?.stdout() !== '');
    const first = await run('my project', ['render', 'films/film.yaml'], { DAILIES_STORE: '.dailies' });
    expect(first).toMatchObject({ exitCode: 0 });
    expect(gateway.tasks()).toHaveLength(2);

    symlinkSync(join(root, 'my project', 'films'), join(root, 'elsewhere', 'link'));
    const places: (readonly [string, string])[] = [
      ['my project', 'films/film.yaml'],
      ['my project/films', 'film.yaml'],
      ['elsewhere', '../my project/films/film.yaml'],
      ['elsewhere', 'link/film.yaml'],
    ];
    for (const [folder, file] of places) {
      const plan = await run(folder, ['plan', file, '--json']);
      expect(plan.stderr).toContain(`Store: ${join(root, 'my project', '.dailies')}.`);
      expect(JSON.parse(plan.stdout)).toMatchObject({ quote: { tasks: 0 } });
    }
    const rendered = [];
    for (const [folder, file] of places) rendered.push(await run(folder, ['render', file]));
    expect(rendered.map(({ exitCode }) => exitCode)).toEqual(places.map(() => 0));
    expect(rendered.at(-1)?.stderr).toContain(`find it from ${join(root, 'my project')}, or by DAILIES_STORE='`);
    expect(gateway.tasks()).toHaveLength(2);
    const status = await run('my project/films', ['status', 'film']);
    expect(status.stderr).toContain(`Store: ${join(root, 'my project', '.dailies')}.`);
    expect(status.stdout).toContain('One still: completed');
  });

  it('is not bought again by an account that was only renamed', async () => {
    const moved = { DAILIES_GATEWAY_URL: gateway.url.replace('127.0.0.1', 'localhost') };
    const refused = await run('my project', ['render', 'films/film.yaml'], moved);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(`keep the account: DAILIES_GATEWAY_ACCOUNT=${gateway.url}.`);
    const plan = await run('my project', ['plan', 'films/film.yaml'], moved);
    expect(plan.stderr).toContain(`was last rendered by the account "${gateway.url}"`);
    const kept = await run('my project', ['plan', 'films/film.yaml', '--json'], {
      ...moved,
      DAILIES_GATEWAY_ACCOUNT: gateway.url,
    });
    expect(JSON.parse(kept.stdout)).toMatchObject({ quote: { tasks: 0 } });
    expect(gateway.tasks()).toHaveLength(2);
  });

  it('is exported into the folder that was named once; status, takes and printed commands show it', async () => {
    const named = join(root, 'elsewhere', 'my films');
    expect((await run('elsewhere', ['render', 'link/film.yaml', '--out', 'my films'])).exitCode).toBe(0);
    rmSync(named, { recursive: true });
    const gone = await run('my project', ['status', 'film']);
    expect(gone.stderr).toContain('To have what there is as files: dailies export film');
    expect((await run('my project', ['takes', 'film'])).stderr).toContain('dailies export film');

    const put = await run('my project/films', ['export', 'film']);
    expect(put).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(join(named, 'index.html')) });
    expect((await run('my project', ['takes', 'film'])).stdout).toContain(join(named, 'takes', 'dawn-take-1.png'));
    expect((await run('my project', ['status', 'film'])).stdout).toMatch(`contact sheet  ${join(named, 'index.html')}`);
    const { out } = Manifest.parse(JSON.parse((await run('my project', ['status', 'film', '--json'])).stdout));
    expect(out).toEqual({ folder: named, film: null, sheet: join(named, 'index.html') });

    const again = await run('my project', ['render', 'films/film.yaml']);
    expect(again.stdout).toContain(join(named, 'index.html'));
    const refused = await run('my project', ['edit', 'film', 'films/film.yaml', '--yes']);
    expect(refused.stderr).toContain(`dailies render films/film.yaml --id film --out '${named}'`);
    expect(gateway.tasks()).toHaveLength(2);
  });

  it('is not rendered with another key than before, unless a setting confirms the account', async () => {
    const store = await openStore(join(root, 'my project', '.dailies'));
    const { folder } = store;
    const { keys } = store.account(gateway.url);
    expect(await keys.compare(KEY)).toBe('same');
    await keys.note('the key of another tenant');
    const refused = await run('my project', ['render', 'films/film.yaml']);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(`confirm the account: DAILIES_GATEWAY_ACCOUNT=${gateway.url}.`);
    await recordRun(store, 'nightly', { rows: [], ends: [], account: gateway.url, state: 'incomplete' });
    const changes = [
      ['retake', 'film', 'dawn', '--yes'],
      ['resolve', 'film', 'dawn', '--resubmit'],
      ['batch', 'retry-failed', 'nightly'],
      ['schedule', 'update', 'nightly', 'films/film.yaml'],
      ['schedule', 'trigger', 'nightly'],
      ['schedule', 'backfill', 'nightly', '--from', '2026-01-01T00:00:00Z', '--to', '2026-01-02T00:00:00Z'],
    ];
    for (const args of changes) {
      const { exitCode, stderr } = await run('my project', args);
      expect([args[0], exitCode, stderr]).toEqual([args[0], 2, expect.stringContaining('confirm the account: ')]);
    }
    for (const args of [['plan', 'films/film.yaml'], ['doctor']]) {
      const { exitCode, stdout, stderr } = await run('my project', args);
      expect(exitCode).toBe(0);
      expect(stdout + stderr).toMatch(/gateway key is not the one|another key than before/);
    }
    const named = await run('my project', ['render', 'films/film.yaml'], { DAILIES_GATEWAY_ACCOUNT: gateway.url });
    expect(named.exitCode).toBe(0);
    expect(named.stderr).toContain('gateway key is not the one');
    const again = await run('my project', ['plan', 'films/film.yaml']);
    expect(again.exitCode).toBe(0);
    expect(again.stderr).not.toContain('gateway key');
    expect(gateway.tasks()).toHaveLength(2);
    expect((await filesWith(folder, KEY)).length).toBe(0);
  });

  it('is not started on a nearer store that has never seen it', async () => {
    const nearer = await openStore(join(root, 'my project', 'films', '.dailies'));
    await nearer.ledger.intend(ADDRESS, intent());
    const refused = await run('my project', ['render', 'films/film.yaml']);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(
      `was rendered with the store ${join(root, 'my project', '.dailies')}, and never with`,
    );
    expect(refused.stderr).toContain(`DAILIES_STORE='${nearer.folder}'`);
    const plan = await run('my project', ['plan', 'films/film.yaml']);
    expect(plan.stderr).toContain(
      `To go on with the other store: DAILIES_STORE='${join(root, 'my project', '.dailies')}'.`,
    );
    expect(gateway.tasks()).toHaveLength(2);
  });
});
