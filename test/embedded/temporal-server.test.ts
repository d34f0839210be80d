import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, Connection } from '@temporalio/client';
import { identify, isAlive } from '../../workers/embedded/process-identity';
import { findTemporalCli } from '../../workers/temporal-cli';
import { startTemporalServer, type TemporalServer } from '../../workers/temporal-server';
import { until } from '../support/until';

describe('the Temporal server', () => {
  const cli = findTemporalCli(process.env)?.path ?? '';
  const servers: TemporalServer[] = [];
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dailies-temporal-'));
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
    rmSync(folder, { recursive: true });
  });

  const start = async (more: { databaseFile?: string; cli?: string; port?: number } = {}) => {
    const server = await startTemporalServer({ cli, logFile: join(folder, 'log'), ...more });
    servers.push(server);
    return server;
  };
  const withClient = async <Result>({ address }: TemporalServer, use: (client: Client) => Promise<Result>) => {
    const connection = await Connection.connect({ address });
    try {
      return await use(new Client({ connection }));
    } finally {
      await connection.close();
    }
  };

  it('keeps in its database file what it has confirmed, even when it is killed', async () => {
    const databaseFile = join(folder, 'temporal.db');
    const killed = await start({ databaseFile });
    await withClient(killed, ({ workflow }) => workflow.start('film', { taskQueue: 'nobody', workflowId: 'kept' }));
    process.kill(killed.pid, 'SIGKILL');
    await killed.stop();

    const next = await start({ databaseFile });
    const { status } = await withClient(next, ({ workflow }) => workflow.getHandle('kept').describe());
    expect(status.name).toBe('RUNNING');
  });

  it('ends when the process that started it is killed', async () => {
    const settings = JSON.stringify({ cli, logFile: join(folder, 'log') });
    const starter = spawn(process.execPath, [join(__dirname, 'starter.cjs'), settings], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: starter.stdout }), 'line')) as [string];
    const server = identify((JSON.parse(line) as { pid: number }).pid);
    expect(server).toBeDefined();
    starter.kill('SIGKILL');
    await until(() => !isAlive(server!));
  });

  it('does not give another server for its own that serves the wanted port', async () => {
    const port = Number((await start()).address.split(':').at(-1));
    await expect(start({ port })).rejects.toThrow();
  }, 60_000);

  it('has ended when it says that it has stopped', async () => {
    const server = await start();
    const running = identify(server.pid);
    await server.stop();
    expect(isAlive(running!)).toBe(false);
  });

  it('cannot be reached from other machines', async () => {
    const server = await start();
    const port = Number(server.address.split(':')[1]);
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4');
    for (const { address } of outside) {
      const socket = connect({ host: address, port });
      const error = await new Promise<Error | null>((resolve) => {
        socket.once('error', resolve).once('connect', () => {
          resolve(null);
        });
      });
      socket.destroy();
      expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    }
  });

  it('names its log if it does not start', async () => {
    const broken = join(folder, 'broken');
    writeFileSync(broken, '#!/bin/sh\necho it is broken\nexit 3\n');
    chmodSync(broken, 0o755);
    await expect(start({ cli: broken })).rejects.toThrow(/did not start; see .*log/);
    expect(readFileSync(join(folder, 'log'), 'utf8')).toContain('it is broken');
  });
});
