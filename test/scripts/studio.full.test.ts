import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { startProcess } from './command';

describe('dailies studio', () => {
  it('prints its address, serves the person who opens it and nobody else, and ends with SIGINT', async () => {
    const studio = startProcess(['studio', '--no-open'], { folder: await temporaryFolder() });
    const addressIn = (): string | undefined => /^The studio is at (\S+)$/m.exec(studio.stdout())?.[1];
    try {
      await until(() => addressIn() !== undefined || studio.process.exitCode !== null);
      const address = new URL(addressIn() ?? studio.stderr());
      expect(address.hostname).toBe('127.0.0.1');
      const entered = await fetch(address, { redirect: 'manual' });
      const cookie = entered.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      const home = await fetch(address.origin, { headers: { cookie } });
      expect([home.status, await home.text()]).toEqual([200, expect.stringContaining('<h1>')]);
      expect((await fetch(address.origin)).status).toBe(401);
    } finally {
      studio.process.kill('SIGINT');
    }
    expect(await studio.ended).toMatchObject({ exitCode: 0 });
  });
});
