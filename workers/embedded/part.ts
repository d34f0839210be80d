import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedSetFailed } from './errors';
import type { Announcement, PartMessage, PartStart } from './part-process';
import { identify, isAlive, type ProcessIdentity } from './process-identity';
import type { PartPlan } from './set-plan';

/** A worker loads its bundle in a second or two, but a busy machine takes many times that. */
const READY_LIMIT_MS = 90_000;
/** A part that was ready for this long counts as stable. Its next death counts as the first. */
const STEADY_AFTER_MS = 60_000;
/** After this many deaths in a row, the part is given up. Restart delays add up to 8 s, enough for a short fault. */
const QUICK_DEATHS = 6;
const FIRST_RESTART_DELAY_MS = 250;

/** How often to check whether a killed process is gone. A kill takes milliseconds. */
const GONE_INTERVAL_MS = 10;
const SHOWN_CHARACTERS = 500;

/** Receives the events of a part. */
export interface PartListener {
  notice(line: string): void;
  /** A process has started. It must end with the embedded set. */
  started(process: ProcessIdentity): void;
  /** The part keeps ending, or cannot be run, and is not restarted. */
  givenUp(reason: string): void;
}

/** Starts and stops one process of the embedded set, and restarts the process when it dies. */
export class Part {
  readonly name: string;
  readonly #plan: PartPlan;
  readonly #logFile: string;
  readonly #listener: PartListener;
  readonly #stopping = new AbortController();
  #child: ChildProcess | undefined;
  #announced: Announcement | null = null;
  /** When the running process became ready; undefined before that. */
  #readySince: number | undefined;
  #over: Promise<void> = Promise.resolve();
  /** Why the part did not start, for the error of `start`. */
  #failedBy = '';

  constructor(plan: PartPlan, logFile: string, listener: PartListener) {
    this.name = plan.name;
    this.#plan = plan;
    this.#logFile = logFile;
    this.#listener = listener;
  }

  /** Resolves when the part is first ready. @throws EmbeddedSetFailed if it ends before that or cannot be run. */
  async start(env: Announcement): Promise<Announcement> {
    let ready: (announcement: Announcement) => void = () => undefined;
    const first = new Promise<Announcement>((resolve) => (ready = resolve));
    this.#over = this.#keepRunning(env, ready).catch((error: unknown) => {
      // For example, the log cannot be opened.
      this.#failedBy = String(error);
      this.#listener.givenUp(`The embedded set is given up: ${this.name} cannot be run: ${String(error)}`);
    });
    const announcement = await Promise.race([first, this.#over.then(() => null)]);
    if (announcement === null) {
      throw new EmbeddedSetFailed(
        `The embedded set did not come up, so nothing was sent: ${this.name} did not start (${this.#failedBy}). Type the command again when the cause is gone. ${lastLogLine(this.#logFile)}`,
      );
    }
    return announcement;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#child?.kill('SIGTERM');
    const overdue = setTimeout(() => {
      if (this.#child !== undefined) killGroup(this.#child);
    }, this.#plan.graceMs);
    await this.#over;
    clearTimeout(overdue);
  }

  async #keepRunning(env: Announcement, onReady: (announcement: Announcement) => void): Promise<void> {
    for (let deaths = 0; !this.#isStopping();) {
      const ending = await this.#run(env, onReady);
      if (this.#isStopping()) return;
      // The process was never ready; `start` throws.
      if (this.#announced === null) {
        this.#failedBy = ending;
        return;
      }
      // A process that hangs before it is ready runs for READY_LIMIT_MS, and is not stable.
      deaths = Date.now() - (this.#readySince ?? Infinity) > STEADY_AFTER_MS ? 1 : deaths + 1;
      if (deaths === QUICK_DEATHS) {
        this.#listener.givenUp(
          `The embedded set is given up: ${this.name} keeps ending (${ending}). ${lastLogLine(this.#logFile)}`,
        );
        return;
      }
      this.#listener.notice(`${this.name}: ended (${ending}), starts again`);
      await delay(FIRST_RESTART_DELAY_MS * 2 ** (deaths - 1), undefined, { signal: this.#stopping.signal }).catch(
        () => undefined,
      );
    }
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Runs the process once. Resolves with its exit code, signal or error when all processes of the part are gone. */
  async #run(env: Announcement, onReady: (announcement: Announcement) => void): Promise<string> {
    const log = openSync(this.#logFile, 'a');
    // `detached` makes a process group: Ctrl-C in a terminal does not reach it, and `killGroup` also ends its children.
    const leader = spawn(process.execPath, [this.#plan.script], {
      env: { ...this.#plan.env, ...env },
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    this.#child = leader;
    this.#readySince = undefined;
    const offspring: ProcessIdentity[] = [];
    const noteStart = (pid: number) => {
      const started = identifyOrEnd(pid, leader);
      if (started === undefined) return;
      offspring.push(started);
      this.#listener.started(started);
    };
    const ended = new Promise<string>((resolve) => {
      leader.once('exit', (code, signal) => {
        resolve(signal ?? `exit code ${String(code)}`);
      });
      leader.once('error', (error) => {
        resolve(error.message);
      });
    });
    const overdue = setTimeout(() => {
      killGroup(leader);
    }, READY_LIMIT_MS);
    leader.on('message', (message: PartMessage) => {
      if (typeof message === 'object' && 'started' in message) {
        noteStart(message.started);
        return;
      }
      clearTimeout(overdue);
      this.#readySince = Date.now();
      this.#announced = message === 'ready' ? {} : message.ready;
      onReady(this.#announced);
    });
    if (leader.pid !== undefined) noteStart(leader.pid);
    const start: PartStart<unknown> = { settings: this.#plan.settings, announced: this.#announced };
    leader.send(start, () => undefined);

    const ending = await ended;
    clearTimeout(overdue);
    killGroup(leader);
    while (offspring.some(isAlive)) await delay(GONE_INTERVAL_MS);
    return ending;
  }
}

/** The last message of a log, which usually names the cause, and the log's path. */
function lastLogLine(logFile: string): string {
  let lastLine: string;
  try {
    lastLine = readFileSync(logFile, 'utf8').trim().split('\n').at(-1) ?? '';
  } catch {
    return `Its log cannot be read (${logFile})`;
  }
  return `Its last log message: ${messageIn(lastLine).slice(-SHOWN_CHARACTERS)} (${logFile})`;
}

/** The message of a line that was logged as JSON; the whole line if it has none. */
function messageIn(line: string): string {
  try {
    const { msg, err } = JSON.parse(line) as { readonly msg?: unknown; readonly err?: { readonly message?: unknown } };
    const message = typeof msg === 'string' ? msg : err?.message;
    return typeof message === 'string' ? message : line;
  } catch {
    return line;
  }
}

/** Ends the part if its process cannot be identified: the next set could not wait for the process's end. */
function identifyOrEnd(pid: number, leader: ChildProcess): ProcessIdentity | undefined {
  try {
    return identify(pid);
  } catch {
    killGroup(leader);
    return undefined;
  }
}

/** Kills the processes that are left in the group. No other group can have this id while a member lives. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has no process left.
  }
}
