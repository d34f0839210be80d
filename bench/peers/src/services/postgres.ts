import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, open, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findProgram } from './debian';
import { freePort } from './free-port';
import { type Service, ServiceMissing } from './service';
import { versionOf } from './version';

const SUPERUSER = 'bench';
const DATABASE = 'dbos';
const PLACES = ['/usr/lib/postgresql/*/bin', '/opt/homebrew/opt/postgresql*/bin'];

/** PostgreSQL refuses to run as root. If this process is root, the first of these users that exists runs PostgreSQL. */
const UNPRIVILEGED_USERS = ['postgres', 'nobody'];

const START_MS = 30_000;
const LOOK_EVERY_MS = 50;

/** The user that owns the data and runs the server. Without ids, this is the current user. */
interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Starts PostgreSQL as initdb sets it up: fsync, full_page_writes and synchronous_commit are on.
 *
 * @throws ServiceMissing if PostgreSQL is missing and `findProgram` cannot install it, if there is no user for it, or
 *   if its user may not enter the folder; Error if it does not answer.
 */
export async function startPostgres(folder: string): Promise<Service> {
  const initdb = await realpath(await findProgram({ name: 'initdb', places: PLACES, debianPackage: 'postgresql' }));
  const version = await versionOf(initdb);
  const owner = process.getuid?.() === 0 ? await unprivilegedUser() : {};
  const data = join(folder, 'postgres');
  const passwordFile = join(folder, 'postgres.password');
  await mkdir(folder, { recursive: true });
  if (!(await isThere(data))) {
    await mkdir(data, { mode: 0o700 });
    await writeFile(passwordFile, randomBytes(16).toString('hex'), { mode: 0o600 });
    await give(owner, folder, [data, passwordFile]);
    const access = ['--username', SUPERUSER, '--auth', 'scram-sha-256', '--pwfile', passwordFile];
    const make = ['--pgdata', data, '--encoding', 'UTF8', '--no-locale', ...access];
    await promisify(execFile)(initdb, make, { cwd: folder, ...owner });
  }
  const password = await readFile(passwordFile, 'utf8');
  const port = await freePort();
  const log = await open(join(folder, 'postgres.log'), 'a');
  const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '' };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(dirname(initdb), 'postgres'), ['-D', data, ...options], {
    cwd: folder,
    stdio: ['ignore', log.fd, log.fd],
    ...owner,
  });
  const ended = once(child, 'exit');
  await log.close();
  const address = (database: string) => `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
  await untilItAnswers(child, address('postgres'), join(folder, 'postgres.log'));
  return {
    address: address(DATABASE),
    version,
    pids: () => withChildren(child.pid ?? 0),
    async stop() {
      // PostgreSQL's fast shutdown, which does not wait for clients.
      child.kill('SIGINT');
      await ended;
    },
  };
}

async function unprivilegedUser(): Promise<Owner> {
  for (const name of UNPRIVILEGED_USERS) {
    const id = async (flag: string) => Number((await promisify(execFile)('id', [flag, name])).stdout);
    const found = await Promise.all([id('-u'), id('-g')]).catch(() => undefined);
    if (found !== undefined) return { uid: found[0], gid: found[1] };
  }
  throw new ServiceMissing(
    'PostgreSQL refuses to run as root, and there is no user postgres or nobody: run as another user.',
  );
}

/** Gives files of a folder to the owner, and makes sure that the owner can enter the folder. */
async function give({ uid, gid }: Owner, folder: string, paths: readonly string[]): Promise<void> {
  if (uid === undefined || gid === undefined) return;
  await letPass(await realpath(folder));
  for (const path of paths) await chown(path, uid, gid);
}

/**
 * Lets all users enter a folder and the temporary folders above it. Temporary folders are private by default;
 * afterwards anyone who knows the path can enter.
 */
async function letPass(folder: string): Promise<void> {
  const temporary = await realpath(tmpdir());
  for (let path = folder; path !== dirname(path); path = dirname(path)) {
    const { mode } = await stat(path);
    if ((mode & 0o001) !== 0) continue;
    if (path !== folder && !path.startsWith(`${temporary}${sep}`)) {
      throw new ServiceMissing(
        `PostgreSQL refuses to run as root, and its user may not enter ${path}: use another folder.`,
      );
    }
    await chmod(path, mode | 0o011);
  }
}

async function untilItAnswers(child: ChildProcess, address: string, log: string): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    const client = new Client({ connectionString: address });
    try {
      await client.connect();
      await client.query('SELECT 1');
      return;
    } catch (cause) {
      if (child.exitCode !== null || Date.now() > deadline) {
        child.kill('SIGQUIT');
        throw new Error(`PostgreSQL does not answer: see ${log}`, { cause });
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** PostgreSQL uses a process per connection. */
async function withChildren(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
