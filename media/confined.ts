import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';

/** Limits of a program. The system refuses more memory, and ends the program when its CPU time is used up. */
export interface Bounds {
  /**
   * Memory that the program may write to. Only Linux enforces this limit, since other systems do not count mapped
   * memory. On other systems, only the programs' own limits remain: ffmpeg's on single blocks, and V8's on its heap.
   */
  readonly memoryBytes: number;
  /** CPU time of all threads together. Unlike wall-clock time, it does not grow on a busy machine. */
  readonly cpuSeconds: number;
}

/**
 * Variables that a confined program gets: where programs, libraries, fonts and scratch files are, the text encoding,
 * and the limit of glibc's arenas.
 */
const PASSED_VARIABLES = [
  'PATH',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  'HOME',
  'FONTCONFIG_FILE',
  'FONTCONFIG_PATH',
  'TMPDIR',
  'TEMP',
  'SYSTEMROOT',
  'LANG',
  'LC_ALL',
  'MALLOC_ARENA_MAX',
];

/** The system signals a program at its CPU limit, and kills it after this many more seconds of CPU time. */
const KILL_GRACE_SECONDS = 10;

/** The shell's exit codes if it cannot run a program. */
const NOT_STARTED = [126, 127];

/**
 * Starts a program that reads untrusted files.
 *
 * The program does not get the keys and secrets in this process's environment. Except on Windows, it has limits that
 * hold even if this process ends. The shell sets the limits and becomes the program, so the process id is the
 * program's.
 */
export function spawnConfined(
  program: string,
  args: readonly string[],
  { memoryBytes, cpuSeconds }: Bounds,
  stdio: StdioOptions,
): ChildProcess {
  const env = bareEnvironment();
  if (process.platform === 'win32') return spawn(program, args, { env, stdio });
  const bounds = [
    ['-c', 0],
    ['-d', memoryBytes / 1024],
    ['-H -t', cpuSeconds + KILL_GRACE_SECONDS],
    ['-S -t', cpuSeconds],
  ] as const;
  // If the system refuses one limit, the others still hold.
  const script = bounds.map(([option, value]) => `ulimit ${option} ${Math.ceil(value)} 2>/dev/null;`).join(' ');
  return spawn('/bin/sh', ['-c', `${script} exec "$@"`, 'sh', program, ...args], { env, stdio });
}

/** True if this exit code says that a confined program never ran. */
export function hasNotStarted(exitCode: number | null): boolean {
  return exitCode !== null && NOT_STARTED.includes(exitCode);
}

export function bareEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => PASSED_VARIABLES.includes(name.toUpperCase())),
  );
}
