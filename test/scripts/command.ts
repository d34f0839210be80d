import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { runDailies } from '../../scripts/run-dailies';
import { PLAIN_ENV } from '../support/pictures';
import { printedCommands, unreadable } from '../support/printed-commands';
import { until } from '../support/until';

/** The command as a person runs it: compiled, a process of its own. */
const DAILIES = join(__dirname, '..', '..', 'dist', 'scripts', 'dailies.js');

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly ended: Promise<Ended>;
  /** What it has written so far. */
  stdout(): string;
  stderr(): string;
}

export interface CommandProcess extends RunningCommand {
  readonly process: ChildProcess;
}

export interface Place {
  /** Working directory, in which `out/` is created. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the command in this process, from the sources. Tests of the process itself use `dailiesProcess`. */
export async function dailies(args: readonly string[], place: Place): Promise<Ended> {
  const { ended } = runHere(args, place);
  return ended;
}

/** Starts the command in this process; `signal` sends it a signal as if it were a process. */
export function startDailies(
  args: readonly string[],
  place: Place,
): RunningCommand & { signal(name: 'SIGINT' | 'SIGTERM'): void } {
  return runHere(args, place);
}

/** Runs the command as a process, compiled. */
export function dailiesProcess(args: readonly string[], place: Place): Promise<Ended> {
  return startProcess(args, place).ended;
}

/** Starts the command as a process, compiled. */
export function startProcess(args: readonly string[], place: Place): CommandProcess {
  return startProgram(process.execPath, [DAILIES, ...args], place);
}

/** Starts a line of a page as a person types it in a clone, as the leader of a process group. */
export function startLine(line: string, place: Place): CommandProcess {
  const inClone = `npx() { shift; '${process.execPath}' '${DAILIES}' "$@"; }`;
  return startProgram('/bin/sh', ['-c', `${inClone}\n${line}`], place, { detached: true });
}

function startProgram(
  program: string,
  args: readonly string[],
  place: Place,
  options: { readonly detached?: boolean } = {},
): CommandProcess {
  const child = spawn(program, args, {
    cwd: place.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environmentOf(place),
    ...options,
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  return {
    process: child,
    ended: once(child, 'close').then(([exitCode]) => ({ exitCode: exitCode as number | null, ...written })),
    stdout: () => written.stdout,
    stderr: () => written.stderr,
  };
}

/** A command at a terminal, with a person at it. */
export interface CommandAtTerminal extends RunningCommand {
  /** Types a line once the output since the previous line matches the pattern. Returns that output. */
  answer(question: RegExp, line: string): Promise<string>;
}

/**
 * Starts the command in this process, as if at a terminal.
 *
 * A prompt ends in sequences that move the cursor: a pattern does not end in `$`.
 */
export function startAtTerminal(args: readonly string[], place: Place): CommandAtTerminal {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const command = runHere(args, place, { stdin, isTTY: true });
  let read = 0;
  let hasEnded = false;
  void command.ended.then(() => (hasEnded = true));
  return {
    ...command,
    async answer(question, line) {
      const written = (): string => command.stderr().slice(read);
      await until(() => hasEnded || question.test(written()));
      const before = written();
      // If the question never comes, the test fails with the output so far.
      if (!question.test(before)) throw new Error(`ended without ${question}: ${before}`);
      read += before.length;
      stdin.write(`${line}\n`);
      return before;
    },
  };
}

function runHere(
  args: readonly string[],
  place: Place,
  { stdin = Readable.from([]), isTTY = false }: { readonly stdin?: Readable; readonly isTTY?: boolean } = {},
): ReturnType<typeof startDailies> {
  const signals = new EventEmitter();
  const [stdout, stderr] = [collector(), collector()];
  const surroundings = {
    cwd: place.folder,
    env: environmentOf(place),
    stdin,
    stdout: Object.assign(stdout.stream, { isTTY }),
    stderr: Object.assign(stderr.stream, { isTTY }),
    signals,
  };
  return {
    ended: runDailies(args, surroundings).then((exitCode) => {
      // In every test: each printed command must be valid.
      expect(unreadable(printedCommands(`${stdout.text()}\n${stderr.text()}`))).toEqual([]);
      return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
    }),
    stdout: () => stdout.text(),
    stderr: () => stderr.text(),
    signal: (name) => void signals.emit(name),
  };
}

/** The environment of a command: the store in the place's own folder, no configuration of the user, plain pictures. */
export function environmentOf({ folder, env = {} }: Place): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(DAILIES_GATEWAY|TEMPORAL)_/.test(name));
  const own = { DAILIES_STORE: join(folder, 'store'), ...PLAIN_ENV };
  return { ...(Object.fromEntries(inherited) as Record<string, string>), ...own, ...env };
}

function collector(): { readonly stream: Writable; text(): string } {
  let written = '';
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _, done) {
      written += text;
      done();
    },
  });
  return { stream, text: () => written };
}
