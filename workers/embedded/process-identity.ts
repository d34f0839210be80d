import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Names a process for good. A pid alone is used again; with the time the process started, and the machine since its
 * last boot, it is not.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the system's own notation; compared, never read. */
  readonly startedAt: string;
  readonly machine: string;
}

/** Names a process of this machine; undefined where it has ended. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = startOf(pid);
  return startedAt === undefined ? undefined : { pid, startedAt, machine: thisMachine() };
}

export function isHere({ machine }: ProcessIdentity): boolean {
  return machine === thisMachine();
}

/** Whether that very process still runs. Only to be asked of a process on this machine. */
export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  return startOf(pid) === startedAt;
}

function startOf(pid: number): string | undefined {
  return process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid);
}

function startOnLinux(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The second field is the program's name in brackets, and may itself hold brackets and spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended, though nobody has taken note of it yet. Source: proc_pid_stat(5), fields 3 and 22.
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function startByPs(pid: number): string | undefined {
  try {
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return started.trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Pids are comparable only within one boot of one kernel, and there within one pid namespace, as of a container. */
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
