import { Hono } from 'hono';
import { createGuard } from '../../studio/server/guard';

const PORT = 4_100;
const TOKEN = 'a-token-of-this-test-alone';

/** The status of a request that opens the studio with its token. */
async function opened(listensOn: string, host: string): Promise<number> {
  const guard = createGuard({ port: () => PORT, listensOn, token: TOKEN });
  const app = new Hono().use(guard.middleware);
  const response = await app.request(guard.entrance, { headers: { host } });
  return response.status;
}

describe('a studio on all addresses of the machine', () => {
  it.each(['192.168.1.5', '10.0.0.7', '[fe80::1]', '127.0.0.1', 'localhost'])('answers to %s', async (name) => {
    expect(await opened('0.0.0.0', `${name}:${PORT}`)).toBe(200);
    expect(await opened('::', `${name}:${PORT}`)).toBe(200);
  });

  it.each(['rebound.example', '10.0.0.7.rebound.example', '10.0.0.7@rebound.example', '0x7f000001', '[rebound]', ''])(
    'does not answer to the name "%s", which may resolve to this machine',
    async (name) => {
      expect(await opened('0.0.0.0', `${name}:${PORT}`)).toBe(403);
    },
  );

  it('does not answer to another port', async () => {
    expect(await opened('0.0.0.0', `192.168.1.5:${PORT + 1}`)).toBe(403);
  });
});

describe('a studio on one address', () => {
  it.each([
    ['10.0.0.7', '10.0.0.7', 200],
    ['fd00::7', '[fd00::7]', 200],
    ['Studio.lan', 'studio.lan', 200],
    ['10.0.0.7', '10.0.0.8', 403],
    ['127.0.0.1', '10.0.0.7', 403],
  ])('on %s, for a request to %s: %d', async (listensOn, name, status) => {
    expect(await opened(listensOn, `${name}:${PORT}`)).toBe(status);
  });
});
