import { execFile } from 'node:child_process';
import { access, constants, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ServiceMissing } from './service';

/** How long apt-get waits while another process holds the package lock. */
const LOCK_SECONDS = 120;
const OUTPUT_BYTES = 16 * 1024 * 1024;

export interface Program {
  /** Name of the command, such as `redis-server`. */
  readonly name: string;
  /** Folders to search after PATH. In each, one `*` matches any version; the highest version is searched first. */
  readonly places?: readonly string[];
  readonly debianPackage: string;
}

/**
 * Finds a program on PATH or in `places`. Installs the program's package if the program is missing, this process runs
 * as root, and the system has apt-get.
 *
 * @returns the path of the program.
 * @throws ServiceMissing if the program cannot be installed, or is still missing afterwards.
 */
export async function findProgram(program: Program): Promise<string> {
  const path = await lookFor(program);
  if (path !== undefined) return path;
  await install(program);
  const installed = await lookFor(program);
  if (installed !== undefined) return installed;
  throw new ServiceMissing(`${program.name} is still missing after ${program.debianPackage} was installed.`);
}

async function lookFor({ name, places = [] }: Program): Promise<string | undefined> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...(await Promise.all(places.map(expand))).flat()];
  for (const folder of folders) {
    const path = join(folder, name);
    if (folder !== '' && (await canRun(path))) return path;
  }
  return undefined;
}

/** @returns the folders that match a place, highest version first. */
async function expand(place: string): Promise<string[]> {
  const [before, after] = place.split('*');
  if (before === undefined || after === undefined) return [place];
  const folder = before.slice(0, before.lastIndexOf('/') + 1);
  const names = (await readdir(folder).catch(() => [])).filter((name) => join(folder, name).startsWith(before));
  const byVersion = new Intl.Collator('en', { numeric: true });
  return names.sort((a, b) => byVersion.compare(b, a)).map((name) => join(folder, name, after));
}

async function canRun(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function install({ name, debianPackage }: Program): Promise<void> {
  const advice = `${name} is missing: install the Debian package ${debianPackage}, or put ${name} on PATH`;
  const apt = await lookFor({ name: 'apt-get', debianPackage: 'apt' });
  if (apt === undefined || process.getuid?.() !== 0) throw new ServiceMissing(`${advice}.`);
  say(`${name} is missing: installing the Debian package ${debianPackage} on this system (up to some minutes)`);
  const get = ['install', '--yes', '--no-install-recommends', debianPackage];
  try {
    await aptGet(apt, get).catch(async () => {
      await aptGet(apt, ['update']);
      await aptGet(apt, get);
    });
  } catch (cause) {
    throw new ServiceMissing(`${advice}; apt-get could not install it: ${lastWords(cause)}`, { cause });
  }
  say(`${debianPackage} is installed`);
}

async function aptGet(apt: string, command: readonly string[]): Promise<void> {
  // RUNLEVEL=1 keeps the package from starting its server: the benchmark starts its own.
  const env = { ...process.env, RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' };
  const options = ['-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`, '-qq'];
  await promisify(execFile)(apt, [...options, ...command], { env, maxBuffer: OUTPUT_BYTES });
}

/** @returns the last line of a failed program's stderr, or else of Node's message. */
function lastWords(error: unknown): string {
  const { stderr = '', message } = error as Error & { readonly stderr?: string };
  return (stderr.trim() || message).split('\n').at(-1) ?? '';
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
