import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../sandbox';
import { openStore } from '../../store';
import { ADDRESS, intent } from '../support/ledger-fixtures';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies } from './command';

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
  beforeAll(async () => {
    root = realpathSync(await temporaryFolder());
    for (const folder of ['project/films', 'elsewhere']) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, 'project', 'films', 'film.yaml'), FILM);
    gateway = await startSandbox({ folder: join(root, 'gateway'), apiKey: KEY, ...PLAIN });
  });
  afterAll(() => gateway.close());

  /** A person in that directory, with a gateway that costs money and no store in the environment. */
  function run(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const own = { DAILIES_GATEWAY_URL: gateway.url, DAILIES_GATEWAY_KEY: KEY, DAILIES_STORE: '', ...env };
    return dailies(args, { folder: join(root, folder), env: own });
  }

  it('is not begun on a new ledger without confirmation, and is paid for once', async () => {
    const refused = await run('project', ['render', 'films/film.yaml']);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(
      `The ledger in ${join(root, 'project', '.dailies')} is new: no other was found in`,
    );
    expect(refused.stderr).toContain(`DAILIES_STORE=${join(root, 'project', '.dailies')}`);
    const again = await run('project', ['render', 'films/film.yaml']);
    expect(again.exitCode).toBe(2);
    expect(gateway.tasks()).toHaveLength(0);

    const first = await run('project', ['render', 'films/film.yaml'], { DAILIES_STORE: '.dailies' });
    expect(first).toMatchObject({ exitCode: 0 });
    expect(gateway.tasks()).toHaveLength(2);

    symlinkSync(join(root, 'project', 'films'), join(root, 'elsewhere', 'link'));
    const places: (readonly [string, string])[] = [
      ['project', 'films/film.yaml'],
      ['project/films', 'film.yaml'],
      ['elsewhere', '../project/films/film.yaml'],
      ['elsewhere', 'link/film.yaml'],
    ];
    for (const [folder, file] of places) {
      const plan = await run(folder, ['plan', file, '--json']);
      expect(plan.stderr).toContain(`Store: ${join(root, 'project', '.dailies')}.`);
      expect(JSON.parse(plan.stdout)).toMatchObject({ quote: { tasks: 0 } });
    }
    const elsewhere = await run('elsewhere', ['render', 'link/film.yaml']);
    expect(elsewhere.exitCode).toBe(0);
    expect(elsewhere.stderr).toContain(`find it from ${join(root, 'project')}, or by DAILIES_STORE=`);
    expect(gateway.tasks()).toHaveLength(2);
    const status = await run('project/films', ['status', 'film']);
    expect(status.stderr).toContain(`Store: ${join(root, 'project', '.dailies')}.`);
    expect(status.stdout).toContain('One still: completed');
  });

  it('is not bought again by an account that only has another name', async () => {
    const moved = { DAILIES_GATEWAY_URL: gateway.url.replace('127.0.0.1', 'localhost') };
    const refused = await run('project', ['render', 'films/film.yaml'], moved);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(`keep the account: DAILIES_GATEWAY_ACCOUNT=${gateway.url}.`);
    const plan = await run('project', ['plan', 'films/film.yaml'], moved);
    expect(plan.stderr).toContain(`was last rendered by the account "${gateway.url}"`);
    const kept = await run('project', ['render', 'films/film.yaml'], {
      ...moved,
      DAILIES_GATEWAY_ACCOUNT: gateway.url,
    });
    expect(kept.exitCode).toBe(0);
    expect(gateway.tasks()).toHaveLength(2);
  });

  it('is not begun on a store that lies nearer, and has never seen it', async () => {
    const nearer = await openStore(join(root, 'project', 'films', '.dailies'));
    await nearer.ledger.intend(ADDRESS, intent());
    const refused = await run('project', ['render', 'films/film.yaml']);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(
      `was rendered with the store ${join(root, 'project', '.dailies')}, and never with`,
    );
    expect(refused.stderr).toContain(`DAILIES_STORE=${nearer.folder}`);
    const plan = await run('project', ['plan', 'films/film.yaml']);
    expect(plan.stderr).toContain(`To go on with the other store: DAILIES_STORE=${join(root, 'project', '.dailies')}.`);
    expect(gateway.tasks()).toHaveLength(2);
  });
});
