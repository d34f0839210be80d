import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { delimiter, join } from 'node:path';
import { setStage } from '../../drill/stage';
import { findTemporalCli } from '../../workers/temporal-cli';
import { temporaryFolder } from '../support/temporary-folder';

describe('a stage with a part that does not start', () => {
  const path = process.env['PATH'] ?? '';
  let folder: string;
  let port: number;
  /** Whoever has the port. */
  let holder: Server;

  beforeEach(async () => {
    folder = await temporaryFolder();
    holder = await listening(0);
    ({ port } = holder.address() as AddressInfo);
    process.env['PATH'] = folderOfTemporal() + delimiter + path;
  });
  afterEach(() => {
    process.env['PATH'] = path;
    holder.close();
  });

  it('leaves no Temporal server if the port of the sandbox is taken, and says so', async () => {
    await expect(setStage(folder, { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expectNoTemporal();
  });

  it('leaves no sandbox if the Temporal server does not start, and says so', async () => {
    mkdirSync(join(folder, 'temporal.db'));
    await freePort();
    await expect(setStage(folder, { port })).rejects.toThrow('The Temporal server did not start');
    holder = await listening(port);
  });

  it('leaves neither if the store cannot be opened, and says so', async () => {
    writeFileSync(join(folder, 'store'), '');
    await freePort();
    await expect(setStage(folder, { port })).rejects.toMatchObject({ name: 'StoreError' });
    expectNoTemporal();
    holder = await listening(port);
  });

  /** With a Temporal that leaves its process id behind. */
  function folderOfTemporal(): string {
    const bin = join(folder, 'bin');
    const real = findTemporalCli(process.env)?.path ?? '';
    mkdirSync(bin);
    writeFileSync(join(bin, 'temporal'), `#!/bin/sh\necho $$ > '${folder}/pid'\nexec '${real}' "$@"\n`);
    chmodSync(join(bin, 'temporal'), 0o755);
    return bin;
  }

  function expectNoTemporal(): void {
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    expect(pid).toBeGreaterThan(0);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  }

  async function freePort(): Promise<void> {
    holder.close();
    await once(holder, 'close');
  }
});

/** Rejected where another listens there. */
async function listening(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
