import { cpSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectDailies } from '../../client/programs';
import { type Sandbox, startSandbox } from '../../sandbox';
import { openStore, type FolderStore } from '../../store';
import { openDailies } from '../../workers';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { address, book } from '../books/store-with-takes';
import { dailies } from './command';

const KEY = 'a-key-of-the-copies';

const FILM = `
title: One still
models: { pixel-image-1: { output: image } }
defaults: { model: pixel-image-1 }
shots:
  - { id: dawn, prompt: The sun comes up. }
`;

describe('a copy of a store', () => {
  let root: string;
  let copy: string;
  let original: FolderStore;
  let gateway: Sandbox;
  let env: Readonly<Record<string, string>>;
  beforeAll(async () => {
    root = realpathSync(await temporaryFolder());
    gateway = await startSandbox({ folder: join(root, 'gateway'), apiKey: KEY, ...PLAIN });
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    root = realpathSync(await temporaryFolder());
    writeFileSync(join(root, 'film.yaml'), FILM);
    original = await openStore(join(root, 'store'));
    await book(original, address('noon', 1, 'another'), 'intended', { account: gateway.url });
    copy = join(root, 'copy');
    cpSync(join(root, 'store'), copy, { recursive: true });
    env = { DAILIES_GATEWAY_URL: gateway.url, DAILIES_GATEWAY_KEY: KEY, DAILIES_STORE: copy };
  });

  const run = (...args: readonly string[]) => dailies(args, { folder: root, env });

  it.each([
    ['render', 'film.yaml'],
    ['generate', '--model', 'pixel-image-1', '--prompt', 'The sun.', '--output', 'image'],
    ['up'],
    ['worker'],
    ['pause', 'film'],
    ['resume', 'film'],
    ['limits', '--in-flight', '1'],
    ['doctor'],
  ])('pays for nothing: %s is refused with what to do', async (...args) => {
    const { exitCode, stdout, stderr } = await run(...args);
    expect(exitCode).toBe(2);
    expect(stdout + stderr).toContain(`The store in ${copy} is a copy`);
    expect(stdout + stderr).toContain('dailies store --moved');
    expect(gateway.tasks()).toHaveLength(0);
  });

  it('is refused for programs, with an embedded set or a Temporal server', async () => {
    await expect(openDailies(env)).rejects.toThrow('is a copy');
    const config = { account: 'an account', storeFolder: copy, fileValues: 'auto' as const, dataUriMaxBytes: 1 };
    await expect(connectDailies({ ...config, address: '127.0.0.1:1' })).rejects.toThrow('is a copy');
  });

  it.each([['plan', 'film.yaml'], ['list'], ['store']])('can be read: %s warns', async (...args) => {
    const { exitCode, stderr } = await run(...args);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`The store in ${copy} is a copy`);
  });

  it('becomes the store once the original is declared gone, and holds back what may have been sent since', async () => {
    const moved = await run('store', '--moved');
    expect(moved).toMatchObject({ exitCode: 0, stderr: '' });
    expect(moved.stdout).toContain(`The store ${original.id} lives in ${copy} from now on.`);
    expect(moved.stdout).toContain(': 1. They are unclear now.');
    expect(moved.stdout).toContain('dailies ledger --nothing-sent-since-backup');
    const shown = await run('store', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ folder: copy, id: original.id, place: 'own' });
    const plan = await run('plan', 'film.yaml');
    expect(plan.stderr).not.toContain('is a copy');
    expect(plan.stderr).toContain('Before a shot is paid for, it waits for your decision');
    expect(await run('store', '--moved')).toMatchObject({ exitCode: 2 });
  });

  it('becomes a separate store with a new id once it is adopted', async () => {
    const adopted = await run('store', '--adopt-copy', '--json');
    expect(adopted.exitCode).toBe(0);
    const { id } = JSON.parse(adopted.stdout) as { id: string };
    expect(id).not.toBe(original.id);
    expect((await run('store')).stdout).toContain(id);
    const plan = await run('plan', 'film.yaml');
    expect(plan.stderr).not.toMatch(/is a copy|it waits for your decision/);
    expect((await openStore(join(root, 'store'))).id).toBe(original.id);
  });
});
