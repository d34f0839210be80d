import { join } from 'node:path';
import { scriptBytes } from '../../bench/studio/script-bytes';
import { createApp } from '../../studio/server/app';
import { createGuard } from '../../studio/server/guard';
import { type Studio } from '../../studio/server/studio';

/** Of all scripts together. A page is useful without them; a slow line loads them in a second. */
const MOST_BYTES = 60_000;

const HOST = '127.0.0.1:4711';
const BROWSER_FOLDER = join(__dirname, '..', '..', 'dist', 'studio', 'browser');

describe('the scripts of the studio', () => {
  it('are at most 60 KB together, as they are sent', async () => {
    const guard = createGuard({ port: () => 4711, listensOn: '127.0.0.1' });
    const onError = (error: Error): never => {
      throw error;
    };
    const app = createApp({ studio: {} as Studio, guard, sections: [], onError, browserFolder: BROWSER_FOLDER });
    const entered = await app.request(guard.entrance, { headers: { host: HOST } });
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
    const sent = await scriptBytes(async (path) => {
      const answer = await app.request(path, { headers: { host: HOST, cookie, 'accept-encoding': 'gzip' } });
      expect(answer.status).toBe(200);
      return Buffer.from(await answer.arrayBuffer());
    });
    expect([...sent.keys()]).toEqual(expect.arrayContaining(['studio.js', 'live.js', 'idiomorph.js', 'make.js']));
    expect([...sent.values()].reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(MOST_BYTES);
  });
});
