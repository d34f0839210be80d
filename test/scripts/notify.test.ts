import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Manifest } from '../../contracts/manifest';
import { filesWith } from '../support/files-with';
import { type HookReceiver, NOTIFY_SECRET, startReceiver } from '../support/hook-receiver';
import { killSet } from '../support/running-parts';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { dailies, startDailies } from './command';

describe('notify in a production file', () => {
  let folder: string;
  let receiver: HookReceiver;

  beforeEach(async () => {
    folder = await temporaryFolder();
    receiver = await startReceiver();
  });

  afterEach(async () => {
    killSet(folder);
    await receiver.close();
  });

  async function write(notify: string): Promise<void> {
    const shots =
      'models: { pixel-image-1: { output: image } }\nshots: [{ id: a, model: pixel-image-1, prompt: dawn }]\n';
    await writeFile(join(folder, 'film.yaml'), `${shots}notify: ${notify}\n`);
  }

  it('is refused where nobody could sign, and nothing is stored', async () => {
    await write(`{ url: ${receiver.url} }`);
    const { exitCode, stderr } = await dailies(['render', 'film.yaml'], { folder });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('film.yaml:3:1');
    expect(stderr).toContain('set DAILIES_NOTIFY_SECRET');
    expect(existsSync(join(folder, 'store'))).toBe(false);
    const valid = await dailies(['validate', 'film.yaml'], { folder });
    expect(valid.exitCode).toBe(0);
  });

  it('is refused with an address that is none, and with words that are no types', async () => {
    await write('{ url: "ftp://example.com/x", on: [done] }');
    const { exitCode, stderr } = await dailies(['validate', 'film.yaml'], { folder });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/film.yaml:3:\d+.*must be an http or https address/);
    expect(stderr).toMatch(/film.yaml:3:\d+.*production.completed/);
    await write('{ url: "https://user:hidden@example.com/x" }');
    const credentials = await dailies(['validate', 'film.yaml'], { folder });
    expect(credentials.exitCode).toBe(2);
  });

  it.each(['short', 'whsec_c2hvcnQ=', `whsec_${'A'.repeat(200)}`])('is no use with the secret %s', async (bad) => {
    await write(`{ url: ${receiver.url} }`);
    const { exitCode, stderr } = await dailies(['render', 'film.yaml'], {
      folder,
      env: { DAILIES_NOTIFY_SECRET: bad },
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('DAILIES_NOTIFY_SECRET must be whsec_');
    expect(stderr).not.toContain(bad);
  });

  it('is refused before anything is sent where the workers would never post to its address', async () => {
    await write(`{ url: ${receiver.url} }`);
    const env = { DAILIES_NOTIFY_SECRET: NOTIFY_SECRET };
    const { exitCode, stderr } = await dailies(['render', 'film.yaml'], { folder, env });
    expect(stderr).toContain('notify: POST to 127.0.0.1');
    expect(stderr).toContain('List the host in DAILIES_NOTIFY_HOSTS');
    expect(exitCode).toBe(2);
    expect(existsSync(join(folder, 'store', 'embedded'))).toBe(false);
  });

  it('is loud where a notice is lost, until that is sent again', async () => {
    const env = { DAILIES_NOTIFY_SECRET: NOTIFY_SECRET, DAILIES_NOTIFY_HOSTS: '127.0.0.1' };
    const run = (...args: readonly string[]) => dailies(args, { folder, env });
    await write(`{ url: ${receiver.url} }`);
    expect((await run('notify', '--test', 'film.yaml')).exitCode).toBe(0);
    expect(receiver.told()).toMatchObject([{ type: 'test', isSigned: true }]);
    const rows = 'generations: [{ key: a, model: pixel-image-1, prompt: dusk }]';
    await writeFile(
      join(folder, 'shop.yaml'),
      `models: { pixel-image-1: { output: image } }\n${rows}\nnotify: { url: ${receiver.url} }\n`,
    );
    const up = startDailies(['up'], { folder, env });
    await until(() => up.stdout().includes('The embedded set is up'));

    receiver.server.answer = (_request, response) => void response.writeHead(410).end();
    for (const [what, args] of [
      ['film', ['render', 'film.yaml', '--quiet']],
      ['shop', ['batch', 'shop.yaml', '--quiet']],
    ] as const) {
      const said = `answered 410: the receiver wants no more; it is posted no more by itself, but by \`dailies notify ${what}\``;
      expect((await run(...args)).stderr).toContain(said);
      expect((await run('status', what)).stderr).toContain(said);
    }
    const list = (await run('list')).stdout;
    for (const id of ['film', 'shop']) expect(list).toContain(`1 notice not delivered: dailies notify ${id}`);
    expect(await run('notify', '--test', 'film')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('Not delivered. POST to 127.0.0.1'),
    });
    expect((await run('notify', 'film')).exitCode).toBe(1);

    receiver.server.answer = (_request, response) => void response.writeHead(204).end();
    for (const id of ['film', 'shop']) expect((await run('notify', id)).exitCode).toBe(0);
    const [first, again] = receiver.told().filter(({ type }) => type === 'batch.done');
    expect(again).toEqual(first);
    expect((await run('list')).stdout).not.toContain('not delivered');
    expect((await run('notify', 'film')).stdout).toContain('No notice of "film" waits');
    up.signal('SIGINT');
    await up.ended;
  });

  it('has the receiver told, and status and manifest say so', async () => {
    await write(`{ url: ${receiver.url} }`);
    const env = { DAILIES_NOTIFY_SECRET: NOTIFY_SECRET, DAILIES_NOTIFY_HOSTS: '127.0.0.1' };
    const { exitCode } = await dailies(['render', 'film.yaml', '--quiet'], { folder, env });
    expect(exitCode).toBe(0);
    const [told] = receiver.told();
    expect(told).toMatchObject({ type: 'production.completed', isSigned: true, data: { production: 'film' } });
    const status = await dailies(['status', 'film', '--json'], { folder, env });
    const { notices } = Manifest.parse(JSON.parse(status.stdout));
    expect(notices).toMatchObject([{ id: told?.id, type: 'production.completed', state: 'delivered', attempts: 1 }]);
    expect(await filesWith(NOTIFY_SECRET.slice(6), folder)).toEqual([]);
    const doctor = await dailies(['doctor'], { folder, env });
    expect(doctor.stdout).toContain('signed with 1 secret, to public addresses and 127.0.0.1');
  });
});
