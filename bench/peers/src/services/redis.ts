import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProgram } from './debian';
import { freePort } from './free-port';
import { type Service } from './service';
import { versionOf } from './version';

/**
 * Starts Redis as BullMQ's "Going to production" advises: an append-only file, synced every second, and no eviction.
 *
 * @throws ServiceMissing if there is no redis-server; Error with its log if it does not start.
 * Source: docs.bullmq.io/guide/going-to-production, "Persistence" and "Max memory policy".
 */
export async function startRedis(folder: string): Promise<Service> {
  const program = await findProgram({ name: 'redis-server', debianPackage: 'redis-server' });
  const version = await versionOf(program);
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const logFile = join(folder, 'redis.log');
  const settings = {
    bind: '127.0.0.1',
    port: String(port),
    dir: folder,
    logfile: logFile,
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
    'maxmemory-policy': 'noeviction',
  };
  const server = spawn(
    program,
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    { stdio: 'ignore' },
  );
  const ended = once(server, 'exit');
  await Promise.race([
    answers(port),
    ended.then(async () => {
      throw new Error(`redis-server has ended: ${await readFile(logFile, 'utf8').catch(() => 'it left no log')}`);
    }),
  ]);
  return {
    address: `redis://127.0.0.1:${port}`,
    version,
    pids: async () => (server.pid === undefined ? [] : [server.pid, ...(await childrenOf(server.pid))]),
    async stop() {
      server.kill();
      await ended;
    },
  };
}

/** Resolves when Redis answers PING with PONG. While Redis reads its file, the answer is LOADING. */
async function answers(port: number): Promise<void> {
  while (!(await ping(port).catch(() => false))) await sleep(ASK_EVERY_MS);
}

const ASK_EVERY_MS = 50;

async function ping(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write('PING\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString().startsWith('+PONG');
  } finally {
    socket.destroy();
  }
}

/** Redis rewrites its append-only file in a child process. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => ''));
  return (await Promise.all(lists)).flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}
