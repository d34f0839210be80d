import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';

/** What a program may use before the system ends it. */
export interface Bounds {
  /**
   * Memory that it may write to. Linux holds to this; other systems do not count memory that is mapped, and there
   * ffmpeg's own bound on single blocks is all that is left.
   */
  readonly memoryBytes: number;
  /** Time of all its threads together on the processor, which a busy machine does not lengthen. */
  readonly cpuSeconds: number;
}

/** All that such a program needs to know: where programs, libraries, fonts and scratch files are, and how to write text. */
const HANDED_ON = [
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

/** The system tells a program that its time is up, and kills it when it works on for this long. */
const KILL_GRACE_SECONDS = 10;

/** The shell exits with these where it cannot run a program. */
const NOT_STARTED = [126, 127];

/**
 * Starts a program that reads bytes from outside. It is held to bounds, also if this process ends, and does not get the
 * keys and secrets in this process's environment.
 *
 * The shell sets the bounds and becomes the program, so that the process id is the program's.
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
  // Where the system or its own limits refuse one, the others count.
  const script = bounds.map(([option, value]) => `ulimit ${option} ${Math.ceil(value)} 2>/dev/null;`).join(' ');
  return spawn('/bin/sh', ['-c', `${script} exec "$@"`, 'sh', program, ...args], { env, stdio });
}

/** Whether a confined program with this exit code never ran. */
export function hasNotStarted(exitCode: number | null): boolean {
  return exitCode !== null && NOT_STARTED.includes(exitCode);
}

export function bareEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => HANDED_ON.includes(name.toUpperCase())));
}
