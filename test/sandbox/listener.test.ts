import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openListener } from '../../sandbox/listener';
import { startSandbox } from '../../sandbox';
import { readdir } from 'node:fs/promises';
import { temporaryFolder } from '../support/temporary-folder';

const HOST = '127.0.0.1';
/** Longer than opening a socket takes. */
const A_WHILE_MS = 200;

async function opened() {
  const server = createServer();
  const listener = await openListener(server, 0, HOST);
  /** Runs a step as soon as the server begins to listen again, before it listens. */
  const whenReopening = <T>(step: () => T): Promise<T> =>
    new Promise((resolve) => {
      const listen = server.listen.bind(server) as (...args: unknown[]) => unknown;
      jest.spyOn(server, 'listen').mockImplementationOnce((...args: unknown[]) => {
        listen(...args);
        resolve(step());
        return server;
      });
    });
  return { server, listener, whenReopening };
}

describe('a listener', () => {
  it('stays closed if it is closed while it opens after a pause', async () => {
    const { server, listener, whenReopening } = await opened();
    const closing = whenReopening(() => listener.close());
    listener.pause(0);
    await closing;
    await sleep(A_WHILE_MS);
    expect(server.listening).toBe(false);
  });

  it('pauses again if it is paused while it opens', async () => {
    const { server, listener, whenReopening } = await opened();
    const paused = whenReopening(() => listener.pause(600));
    listener.pause(0);
    await paused;
    await sleep(A_WHILE_MS);
    expect(server.listening).toBe(false);
    await listener.close();
  });

  it('can be closed while the port that it opens again is taken', async () => {
    const { server, listener, whenReopening } = await opened();
    const closing = whenReopening(() => listener.close());
    const other = createServer();
    server.once('close', () => other.listen(listener.port, HOST));
    listener.pause(0.1);
    await once(other, 'listening');
    await closing;
    await sleep(A_WHILE_MS);
    expect(server.listening).toBe(false);
    other.close();
  });
});

describe('a sandbox with invalid faults', () => {
  it('opens nothing', async () => {
    const folder = await temporaryFolder();
    await expect(startSandbox({ folder, faults: { failedShare: 2 } })).rejects.toThrow();
    expect(await readdir(folder)).toEqual([]);
  });
});
