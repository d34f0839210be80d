import { request as httpRequest } from 'node:http';
import { finish, IMAGE, sandbox, submit } from '../sandbox/rig';

/** What a web page, or another program on this machine, may ask the sandbox for. */
describe('the sandbox', () => {
  const ROUTES = [
    ['GET', '/openapi.json'],
    ['GET', '/sandbox/health'],
    ['GET', '/sandbox/tasks'],
    ['GET', '/sandbox/counts'],
    ['GET', '/sandbox/faults'],
    ['POST', '/sandbox/faults'],
    ['DELETE', '/sandbox/faults'],
    ['POST', '/workflows/v1/models/submit'],
    ['POST', '/workflows/v1/models/execute'],
    ['GET', '/workflows/v1/models/some-task/result'],
    ['POST', '/workflows/pixel/v1/image/submit'],
    ['GET', '/no/such/route'],
  ] as const;

  it.each(ROUTES)('asks for its key: %s %s', async (method, path) => {
    const server = await sandbox({ apiKey: 'a-key' });
    const body = method === 'POST' ? JSON.stringify({ kind: 'closed', share: 1, params: IMAGE }) : null;
    const ask = (headers: Record<string, string>) =>
      fetch(server.url + path, { method, body, headers: { 'content-type': 'text/plain', ...headers } });
    for (const headers of [{}, { authorization: 'Bearer a-kex' }, { authorization: `Bearer ${'é'.repeat(5)}` }]) {
      expect((await ask(headers as Record<string, string>)).status).toBe(401);
    }
    expect(server.tasks()).toEqual([]);
    expect(server.faults.armed()).toEqual([]);
    expect((await ask({ authorization: 'Bearer a-key' })).status).not.toBe(401);
  });

  it('serves a file to anybody with its address, which cannot be guessed', async () => {
    const server = await sandbox();
    const { result } = await finish(server, await submit(server, IMAGE.model, IMAGE.params));
    const address = String(result?.['url']);
    expect((await fetch(address)).status).toBe(200);
    expect(address).toMatch(/\/files\/[0-9a-f-]{36}\//);
  });

  it.each(['rebound.example', 'rebound.example:4010', '127.0.0.1.example', 'localhost.example', '192.0.2.1'])(
    'refuses requests for the host "%s"',
    async (host) => {
      const server = await sandbox();
      const id = await submit(server, IMAGE.model, IMAGE.params);
      await finish(server, id);
      for (const path of ['/sandbox/tasks', `/files/${id}/image.png`]) {
        expect(await statusFor(server.port, path, host)).toBe(403);
      }
    },
  );

  it.each(['127.0.0.1', 'localhost', '[::1]'])('answers requests for the host "%s"', async (host) => {
    const server = await sandbox();
    expect(await statusFor(server.port, '/sandbox/health', `${host}:${server.port}`)).toBe(200);
  });
});

/** Status of a request with that Host header; fetch sets its own. */
function statusFor(port: number, path: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port, path, headers: { host, authorization: 'Bearer a-key' } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
