import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedSetFailed } from './errors';
import type { Announcement, PartMessage, PartStart } from './part-process';
import type { PartPlan } from './set-plan';

/** A worker loads its bundle in a second or two; a busy machine takes many times that. */
const READY_LIMIT_MS = 90_000;
/** Lived this long, a part is taken for sound, and its next death counts as the first one. */
const STEADY_AFTER_MS = 60_000;
/** With the delays below, deaths for about 8 s: a cause that goes away by itself has gone by then. */
const QUICK_DEATHS = 6;
const FIRST_RESTART_DELAY_MS = 250;

/** A killed process is gone within milliseconds; where nobody buries the dead, as in some containers, it never is. */
const GROUP_LIMIT_MS = 1_000;
const GROUP_INTERVAL_MS = 10;

/** What the supervisor learns from a part. */
export interface PartListener {
  notice(line: string): void;
  /** A process that has to end with the set. */
  started(pid: number): void;
  /** The part keeps dying and is not started again. */
  givenUp(reason: string): void;
}

/** One process of the set, from outside: started, started again when it dies, stopped. */
export interface Part {
  readonly name: string;
  /** Resolves at the first ready. @throws EmbeddedSetFailed where the process ends before that. */
  start(env: Announcement): Promise<Announcement>;
  stop(): Promise<void>;
}

export function createPart(plan: PartPlan, logFile: string, listener: PartListener): Part {
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;
  let child: ChildProcess | undefined;
  let announced: Announcement | null = null;
  let over: Promise<void> = Promise.resolve();

  /** Runs the process once; resolves when it and all that it has started are gone. */
  async function run(env: Announcement, onReady: (announcement: Announcement) => void): Promise<string> {
    const log = openSync(logFile, 'a');
    // A group of its own, so that Ctrl-C in a terminal does not reach it, and that its children end with it.
    const leader = spawn(process.execPath, [plan.script], {
      env: { ...plan.env, ...env },
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    child = leader;
    const ended = once(leader, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    const overdue = setTimeout(() => {
      killGroup(leader);
    }, READY_LIMIT_MS);
    leader.on('message', (message: PartMessage) => {
      if (typeof message === 'object' && 'started' in message) {
        listener.started(message.started);
        return;
      }
      clearTimeout(overdue);
      announced = message === 'ready' ? {} : message.ready;
      onReady(announced);
    });
    if (leader.pid !== undefined) listener.started(leader.pid);
    leader.send({ settings: plan.settings, announced } satisfies PartStart<unknown>, () => undefined);

    const [code, signal] = await ended;
    clearTimeout(overdue);
    await endGroup(leader);
    return signal ?? `exit code ${String(code)}`;
  }

  async function keepRunning(env: Announcement, onReady: (announcement: Announcement) => void): Promise<void> {
    for (let deaths = 0; !stopping.signal.aborted;) {
      const startedAt = Date.now();
      const ending = await run(env, onReady);
      if (isStopping()) return;
      // Whoever waits for the first start is told by its failure.
      if (announced === null) return;
      deaths = Date.now() - startedAt > STEADY_AFTER_MS ? 1 : deaths + 1;
      if (deaths === QUICK_DEATHS) {
        listener.givenUp(`The ${plan.name} keeps ending (${ending}); see ${logFile}.`);
        return;
      }
      listener.notice(`The ${plan.name} ended (${ending}) and is started again.`);
      await delay(FIRST_RESTART_DELAY_MS * 2 ** (deaths - 1), undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
    }
  }

  return {
    name: plan.name,
    start: async (env) => {
      let ready: (announcement: Announcement) => void = () => undefined;
      const first = new Promise<Announcement>((resolve) => (ready = resolve));
      over = keepRunning(env, ready);
      const announcement = await Promise.race([first, over.then(() => null)]);
      if (announcement === null) throw new EmbeddedSetFailed(`The ${plan.name} did not start; see ${logFile}.`);
      return announcement;
    },
    stop: async () => {
      stopping.abort();
      child?.kill('SIGTERM');
      const overdue = setTimeout(() => {
        if (child !== undefined) killGroup(child);
      }, plan.graceMs);
      await over;
      clearTimeout(overdue);
    },
  };
}

/** Ends whatever the process left behind. Nobody else can have its group id while a member of the group lives. */
async function endGroup(leader: ChildProcess): Promise<void> {
  const giveUpAt = Date.now() + GROUP_LIMIT_MS;
  while (killGroup(leader) && Date.now() < giveUpAt) await delay(GROUP_INTERVAL_MS);
}

/** Whether there was anything to kill. */
function killGroup({ pid }: ChildProcess): boolean {
  try {
    return pid !== undefined && process.kill(-pid, 'SIGKILL');
  } catch {
    return false;
  }
}
