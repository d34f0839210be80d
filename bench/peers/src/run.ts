import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Injection } from '../../../dist/sandbox/faults/injection';
import { type Contender, type Program, startProgram } from './contender';
import { fingerprint } from './fingerprint';
import { type Gateway, startGateway } from './gateway';
import { type GatewayCounts, type GatewayTask } from './gateway-program';
import { type Use, watchUse } from './process-use';
import { type Service } from './services/service';
import { type TaskSeconds } from './task-seconds';
import { type Job, type Work } from './work';

/** What is to be done, for whoever does it. */
export interface Task {
  readonly jobs: readonly Job[];
  readonly taskSeconds: TaskSeconds;
  readonly pollMs: number;
  readonly faults?: readonly Injection[];
  /** Kills the program once, as soon as this is so, and starts it again. */
  readonly killWhen?: Moment;
  /** Between these two moments the use of the processes is measured. Default: from ready to done. */
  readonly window?: { readonly opens: Moment; readonly closes: Moment };
}
type Moment = (counts: GatewayCounts) => boolean;

/** What came of it, once. */
export interface Run {
  readonly contender: string;
  /** From when it could begin to when all was in its place. */
  readonly seconds: number;
  /** Seconds that `program` and `service` are measured over. */
  readonly windowSeconds: number;
  readonly program: Use;
  readonly service: Use;
  readonly tasks: readonly GatewayTask[];
  /** From the kill to the first sign of it at the gateway; null where it was not killed, or had nothing left to ask. */
  readonly goesOnAfterSeconds: number | null;
  /** Of the outputs that are in their place, by job and shot. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** Has a contender do a task, with a gateway, a service and folders of its own. @throws where it cannot. */
export async function run(contender: Contender, task: Task): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'dailies-peers-'));
  const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 5 })];
  try {
    const service = await contender.startService?.(join(folder, 'service'));
    if (service !== undefined) stops.push(() => service.stop());
    const { taskSeconds, faults = [] } = task;
    const gateway = await startGateway({ folder: join(folder, 'gateway'), taskSeconds, faults });
    stops.push(() => gateway.stop());
    const work: Work = {
      gatewayUrl: gateway.url,
      gatewayKey: gateway.apiKey,
      service: service?.address ?? null,
      out: join(folder, 'out'),
      folder: join(folder, contender.name),
      pollMs: task.pollMs,
      jobs: task.jobs,
    };
    return await runWork(contender, task, { work, gateway, service }, stops);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

interface Setting {
  readonly work: Work;
  readonly gateway: Gateway;
  readonly service: Service | undefined;
}

async function runWork(
  contender: Contender,
  { window, killWhen }: Task,
  { work, gateway, service }: Setting,
  stops: (() => Promise<void>)[],
): Promise<Run> {
  let program = await startProgram(contender, work);
  stops.push(() => program.kill());
  const ofProgram = watchUse(() => Promise.resolve([program.pid]));
  const ofService = watchUse(() => service?.pids() ?? Promise.resolve([]));
  stops.push(() => {
    ofProgram.stop();
    ofService.stop();
    return Promise.resolve();
  });
  await program.ready;
  const begunAt = performance.now();
  let meter = await openMeter(ofProgram, ofService);
  if (window !== undefined) {
    await untilSeen(gateway, window.opens, program);
    meter = await openMeter(ofProgram, ofService);
    await untilSeen(gateway, window.closes, program);
  }
  const inWindow = window === undefined ? undefined : await meter.read();
  let goesOnAfterSeconds: number | null = null;
  if (killWhen !== undefined) {
    await untilSeen(gateway, killWhen, program);
    const killedAt = performance.now();
    await program.kill();
    program = await startProgram(contender, work);
    // What was on the wire still arrives; no program begins within that time.
    await sleep(ON_THE_WIRE_MS);
    const before = signs(await gateway.counts());
    if (await isSeen(gateway, (counts) => signs(counts) > before, program)) {
      goesOnAfterSeconds = secondsSince(killedAt);
    }
  }
  await program.done;
  const seconds = secondsSince(begunAt);
  return {
    contender: contender.name,
    seconds,
    ...(inWindow ?? (await meter.read())),
    tasks: await gateway.tasks(),
    goesOnAfterSeconds,
    outputs: await fingerprint(work),
  };
}

type Metered = Pick<Run, 'windowSeconds' | 'program' | 'service'>;

async function openMeter(
  ofProgram: { now(): Promise<Use> },
  ofService: { now(): Promise<Use> },
): Promise<{ read(): Promise<Metered> }> {
  const openedAt = performance.now();
  const [program, service] = await Promise.all([ofProgram.now(), ofService.now()]);
  return {
    async read() {
      const [programNow, serviceNow] = await Promise.all([ofProgram.now(), ofService.now()]);
      return {
        windowSeconds: secondsSince(openedAt),
        program: { ...programNow, cpuSeconds: programNow.cpuSeconds - program.cpuSeconds },
        service: { ...serviceNow, cpuSeconds: serviceNow.cpuSeconds - service.cpuSeconds },
      };
    },
  };
}

/** Looks at the gateway until it is so. @throws where the program ends before. */
async function untilSeen(gateway: Gateway, isSo: Moment, program: Program): Promise<void> {
  if (!(await isSeen(gateway, isSo, program))) {
    throw new Error('the program has ended before the moment that was waited for');
  }
}

/** Looks at the gateway until it is so, or the program has done its work. @throws where the program fails before. */
async function isSeen(gateway: Gateway, isSo: Moment, program: Program): Promise<boolean> {
  while (!isSo(await gateway.counts())) {
    if (program.hasEnded()) {
      await program.done;
      return isSo(await gateway.counts());
    }
    await sleep(LOOK_EVERY_MS);
  }
  return true;
}

const LOOK_EVERY_MS = 50;
const ON_THE_WIRE_MS = 100;

/** More with every request that reaches the gateway in good order. */
function signs({ accepted, reads }: GatewayCounts): number {
  return accepted + reads;
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1_000;
}
