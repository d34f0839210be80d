import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { secondsSince } from '../../../dist/bench/process-use';
import { type Injection } from '../../../dist/sandbox/faults/injection';
import { type Contender, type Program, startProgram } from './contender';
import { fingerprint } from './fingerprint';
import { type Gateway, startGateway } from './gateway';
import { type GatewayCounts, type GatewayTask } from './gateway-program';
import { type Meter, type Use, type UseWatch, watchUse } from './process-use';
import { type Service } from './services/service';
import { type TaskSeconds } from './task-seconds';
import { type Job, type Work } from './work';

/** Work for a contender, and the settings of its measurement. */
export interface Task {
  readonly jobs: readonly Job[];
  readonly taskSeconds: TaskSeconds;
  readonly pollMs: number;
  readonly faults?: readonly Injection[];
  /** Kills the program once, `afterSeconds` after `when` first holds, and restarts it. */
  readonly kill?: { readonly when: Moment; readonly afterSeconds: number };
  /** Also measures CPU and memory between two moments, which must be at least `atLeastSeconds` apart. */
  readonly window?: { readonly opens: Moment; readonly closes: Moment; readonly atLeastSeconds: number };
  /** Time limit for all work. The program is then killed. */
  readonly limitSeconds: number;
}
type Moment = (counts: GatewayCounts) => boolean;

/** Time, CPU and memory of the program and of its service, over the same period. */
export interface Metered {
  readonly program: Use;
  readonly service: Use;
}

export interface Run {
  /** Version of the server; null if there is none. */
  readonly serverVersion: string | null;
  /** From the start of the work until all outputs were in place, or until the program failed after a kill. */
  readonly whole: Metered;
  /** Within the task's window; null if the task has none. */
  readonly window: Metered | null;
  readonly tasks: readonly GatewayTask[];
  /** Null if the task has no `kill`. */
  readonly crash: Crash | null;
  /** Fingerprints of the outputs that are in place, by `JOB/SHOT` and `JOB/film`. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** What happened after the kill. */
export interface Crash {
  /** Submits that had reached the gateway before the kill and were not answered yet. */
  readonly onWire: number;
  /** From the kill to the first request of the restarted program; null if there was no request. */
  readonly firstRequestSeconds: number | null;
  /** From the kill until all outputs were in place; null if the program failed. */
  readonly doneSeconds: number | null;
  /** How often a person was asked; null if the program failed. */
  readonly asked: number | null;
  /** The error of a program that ended before all outputs were in place. */
  readonly failure: string | null;
}

/**
 * Runs a task with a contender, with a new gateway, service and folders.
 *
 * @throws ServiceMissing; Error if the contender fails, except after a kill, or if the window is too short. After an
 *   abort: the signal's reason, or the killed program's error.
 */
export async function run(contender: Contender, task: Task, signal: AbortSignal): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'dailies-peers-'));
  const stops: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 5 })];
  try {
    const service = await contender.server?.start(join(folder, 'service'));
    if (service !== undefined) stops.push(() => service.stop());
    const { taskSeconds, faults = [] } = task;
    const gateway = await startGateway({ folder: join(folder, 'gateway'), taskSeconds, faults });
    stops.push(() => gateway.stop());
    signal.throwIfAborted();
    const work: Work = {
      gatewayUrl: gateway.url,
      gatewayKey: gateway.apiKey,
      service: service?.address ?? null,
      out: join(folder, 'out'),
      folder: join(folder, contender.name),
      pollMs: task.pollMs,
      jobs: task.jobs,
    };
    const player = await startPlayer(contender, work, task.limitSeconds, signal);
    stops.push(player.stop);
    const done = await play(player, task, gateway, service);
    // A program that was ended by the signal has not failed.
    signal.throwIfAborted();
    return {
      serverVersion: service?.version ?? null,
      ...done,
      tasks: await gateway.tasks(),
      outputs: await fingerprint(work),
    };
  } finally {
    for (const stop of stops.reverse()) {
      try {
        await stop();
      } catch (error) {
        process.stderr.write(`could not clean up after ${contender.title}: ${String(error)}\n`);
      }
    }
  }
}

/** The current program of a contender. A restart replaces it. */
interface Player {
  readonly program: () => Program;
  readonly kill: () => Promise<void>;
  readonly startAgain: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts the program. Kills the current program at the time limit or when the signal aborts. */
async function startPlayer(
  contender: Contender,
  work: Work,
  limitSeconds: number,
  signal: AbortSignal,
): Promise<Player> {
  const late = AbortSignal.timeout(limitSeconds * 1_000);
  const ends = AbortSignal.any([late, signal]);
  let program: Program | undefined;
  const start = async (): Promise<Program> => {
    program = await startProgram(contender, work);
    if (ends.aborted) await program.kill();
    return program;
  };
  const end = (): void => {
    const words = program?.words() ?? '';
    if (late.aborted) process.stderr.write(`${contender.title} was killed after ${limitSeconds} s: ${words}\n`);
    void program?.kill();
  };
  ends.addEventListener('abort', end);
  let current = await start();
  return {
    program: () => current,
    kill: () => current.kill(),
    async startAgain() {
      current = await start();
    },
    async stop() {
      ends.removeEventListener('abort', end);
      await current.kill();
    },
  };
}

interface Watches {
  readonly ofProgram: UseWatch;
  readonly ofService: UseWatch;
}

async function play(
  player: Player,
  { window, kill }: Task,
  gateway: Gateway,
  service: Service | undefined,
): Promise<Pick<Run, 'whole' | 'window' | 'crash'>> {
  const ofProgram = watchUse(() => Promise.resolve([player.program().pid]));
  const ofService = watchUse(() => service?.pids() ?? Promise.resolve([]));
  try {
    const watches = { ofProgram, ofService };
    const began = await player.program().ready;
    const meter = await openMeter(watches);
    const inWindow = window === undefined ? null : await measureWindow(window, player.program(), gateway, watches);
    const crash = kill === undefined ? null : await crashAndFollow(kill, player, gateway);
    const done = crash === null ? await player.program().done : null;
    const { program, service: used } = await meter.read();
    // A process reports all of its own CPU time. Samples from outside may miss the last part.
    const cpuSeconds = done === null ? program.cpuSeconds : done.cpuSeconds - began.cpuSeconds;
    return { whole: { program: { ...program, cpuSeconds }, service: used }, window: inWindow, crash };
  } finally {
    ofProgram.stop();
    ofService.stop();
  }
}

async function openMeter({ ofProgram, ofService }: Watches): Promise<{ read(): Promise<Metered> }> {
  const meters: readonly [Meter, Meter] = [await ofProgram.openMeter(), await ofService.openMeter()];
  return {
    async read() {
      return { program: await meters[0].read(), service: await meters[1].read() };
    },
  };
}

async function measureWindow(
  { opens, closes, atLeastSeconds }: NonNullable<Task['window']>,
  program: Program,
  gateway: Gateway,
  watches: Watches,
): Promise<Metered> {
  await untilSeen(gateway, opens, program);
  const meter = await openMeter(watches);
  await untilSeen(gateway, closes, program);
  const metered = await meter.read();
  const { seconds } = metered.program;
  if (seconds >= atLeastSeconds) return metered;
  throw new Error(`the measured window lasted ${seconds.toFixed(0)} s; it must last at least ${atLeastSeconds} s`);
}

async function crashAndFollow(
  { when, afterSeconds }: NonNullable<Task['kill']>,
  player: Player,
  gateway: Gateway,
): Promise<Crash> {
  await untilSeen(gateway, when, player.program());
  await sleep(afterSeconds * 1_000);
  const { onWire } = await gateway.counts();
  const killedAt = performance.now();
  await player.kill();
  // Requests that the killed program had sent may still arrive.
  await sleep(ON_THE_WIRE_MS);
  const { requests } = await gateway.counts();
  await player.startAgain();
  const hasAsked = await isSeen(gateway, (counts) => counts.requests > requests, player.program());
  const firstRequestSeconds = hasAsked ? secondsSince(killedAt) : null;
  try {
    const { asked } = await player.program().done;
    return { onWire, firstRequestSeconds, doneSeconds: secondsSince(killedAt), asked, failure: null };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { onWire, firstRequestSeconds, doneSeconds: null, asked: null, failure };
  }
}

/** Polls the gateway until the condition holds. @throws Error if the program is over first. */
async function untilSeen(gateway: Gateway, isSo: Moment, program: Program): Promise<void> {
  if (await isSeen(gateway, isSo, program)) return;
  await program.done;
  throw new Error('the program finished before the awaited moment');
}

/** Polls the gateway until the condition holds. @returns false if the program is over first. */
async function isSeen(gateway: Gateway, isSo: Moment, program: Program): Promise<boolean> {
  while (!isSo(await gateway.counts())) {
    if (program.isOver()) return isSo(await gateway.counts());
    await sleep(LOOK_EVERY_MS);
  }
  return true;
}

const LOOK_EVERY_MS = 50;
const ON_THE_WIRE_MS = 100;
