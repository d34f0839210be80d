import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

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

/** Identifies a process of this machine; undefined if it has ended. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = startOf(pid);
  return startedAt === undefined ? undefined : { pid, startedAt, machine: thisMachine() };
}

export function isHere({ machine }: ProcessIdentity): boolean {
  return machine === thisMachine();
}

/** True if the process still runs. Only valid for a process on this machine. */
export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  return startOf(pid) === startedAt;
}

function startOf(pid: number): string | undefined {
  return process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid);
}

function startOnLinux(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
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
  } catch {
    return undefined;
  }
}

/** Pids are comparable only within one boot of one kernel, and within one pid namespace, such as a container's. */
function thisMachine(): string {
  if (process.platform !== 'linux') return hostname();
  return [hostname(), read('/proc/sys/kernel/random/boot_id')?.trim(), readlinkSync('/proc/self/ns/pid')].join(' ');
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
