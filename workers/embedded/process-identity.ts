import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from '../../store/disk/durable-file';

/**
 * Identifies a process uniquely. A pid is not enough: it is reused after its process has ended, and other machines use
 * the same pids. On Linux, `machine` includes the boot and the pid namespace.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** The start time in the system's notation, equal for every reader. Only to be compared. */
  readonly startedAt: string;
  readonly machine: string;
}

/** Errors of files below /proc/PID after the process has ended. ESRCH comes if the process ends during the read. */
const ENDED = ['ENOENT', 'ESRCH'];
/** Errors of a system file that this process can never read, for example in a sandbox. */
const WITHHELD = ['ENOENT', 'EACCES', 'EPERM'];

/**
 * Identifies a process of this machine; undefined if it has ended.
 *
 * @throws the system's error if the process cannot be looked up, for example with too many open files.
 */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = startOf(pid);
  return startedAt === undefined ? undefined : { pid, startedAt, machine: thisMachine() };
}

export function isHere({ machine }: ProcessIdentity): boolean {
  return machine === thisMachine();
}

/** True unless the process is known to have ended. Only valid for a process on this machine. */
export function isAlive(process: ProcessIdentity): boolean {
  // If the look-up fails, for example with too many open files, the process must not lose its lock or database.
  return runs(process) ?? true;
}

/** True if a look-up shows that the process still runs, and that its pid is not another process's. */
export function isKnownAlive(process: ProcessIdentity): boolean {
  return runs(process) ?? false;
}

/** Undefined if the process cannot be looked up. */
function runs({ pid, startedAt }: ProcessIdentity): boolean | undefined {
  try {
    return startOf(pid) === startedAt;
  } catch {
    return undefined;
  }
}

function startOf(pid: number): string | undefined {
  return process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid);
}

function startOnLinux(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`, ENDED);
  if (stat === undefined) return undefined;
  // The second field is the program's name in parentheses, which may itself contain parentheses and spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended, although its parent has not read its exit status. Source: proc_pid_stat(5), fields 3 and 22.
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function startByPs(pid: number): string | undefined {
  try {
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      // macOS prints the time in the caller's language and time zone.
      env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' },
    });
    return started.trim() || undefined;
  } catch (error) {
    // With an exit code, `ps` has run and found no such process.
    if (typeof (error as { readonly status?: unknown }).status === 'number') return undefined;
    throw error;
  }
}

/** Pids are comparable only within one boot of one kernel, and within one pid namespace, such as a container's. */
function thisMachine(): string {
  if (process.platform !== 'linux') return hostname();
  return [
    hostname(),
    read('/proc/sys/kernel/random/boot_id', WITHHELD)?.trim(),
    readlinkSync('/proc/self/ns/pid'),
  ].join(' ');
}

/** The file's text; undefined after an error listed in `absent`. */
function read(path: string, absent: readonly string[]): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (absent.includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}
