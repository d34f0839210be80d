import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NOTIFY_SECRET, startReceiver } from '../support/hook-receiver';
import { until } from '../support/until';
import { dailies, startDailies } from './command';
import { folder, receiver, write } from './notified-film';

describe('notify in a production file', () => {
  it('reports a lost notice until it is sent again', async () => {
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
      const said = `answered 410: the receiver wants no more; Dailies does not post it again; to post it, type \`dailies notify ${what}\``;
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

    // A receiver that does not answer before the render is no reason not to render.
    const closed = await startReceiver();
    await closed.close();
    await write(`{ url: ${closed.url} }`);
    const { exitCode, stderr } = await run('render', 'film.yaml', '--id', 'alone', '--quiet');
    expect(stderr).toMatch(/notify: POST to 127\.0\.0\.1.*ECONNREFUSED.*The command continues/);
    expect(exitCode).toBe(0);
    up.signal('SIGINT');
    await up.ended;
  });
});
