import { type GatewayTask } from './gateway-program';
import { type Run, type Task } from './run';
import { type Figures } from './saved';
import { type Lognormal } from './task-seconds';
import { type Job, type Shot } from './work';

/** A piece of work that is measured, and how its runs are reckoned. */
export interface MeasuredWork {
  readonly name: string;
  readonly title: string;
  /** Each round as it is done, by its number from 0. */
  readonly task: (round: number) => Task;
  readonly rounds: number;
  readonly figures: (run: Run) => Figures;
}

/** How much of it: as the page has it, or as little as shows that it works. */
export type Scale = 'full' | 'short';

export function measuredWorks(scale: Scale): readonly MeasuredWork[] {
  const isShort = scale === 'short';
  const rounds = isShort ? 1 : 5;
  const pick = (full: number, short: number): number => (isShort ? short : full);
  return [
    chain({ shots: pick(8, 3), seconds: pick(5, 2), resolution: isShort ? '480P' : '720P', rounds }),
    detection({ tasks: pick(200, 20), times: isShort ? SHORT_TIMES : TENTH_TIMES, rounds: pick(3, 1) }),
    throughput({ tasks: pick(500, 40), rounds }),
    // Below the ten minutes after which Runway's client gives up.
    inFlight({ tasks: pick(2_000, 40), seconds: pick(480, 10) }),
    crash({ tasks: pick(100, 20), rounds: pick(10, 1), title: 'killed while submits are on the wire', onWire: true }),
    crash({ tasks: pick(100, 20), rounds: pick(10, 1), title: 'killed while tasks are polled', onWire: false }),
  ];
}

/** What the manner of fal-js polls by; where a contender's manner does not say. */
const POLL_MS = 500;
/** With thousands in flight nobody polls twice a second. */
const CALM_POLL_MS = 5_000;

/** Its gateway tells no last frame, so that everybody takes it from the clip. */
const CHAIN_MODEL = 'alpha-3.0-video';
const TEXT_MODEL = 'quill-text-1';
const PICTURE_MODEL = 'pixel-image-1';
const OUTPUTS: Readonly<Record<string, Shot['output']>> = { [TEXT_MODEL]: 'text', [PICTURE_MODEL]: 'image' };

/** One shot after the other, each on the last frame of the one before. */
function chain(of: { shots: number; seconds: number; resolution: string; rounds: number }): MeasuredWork {
  const shots = Array.from({ length: of.shots }, (_, index) => ({
    id: `shot-${index + 1}`,
    model: CHAIN_MODEL,
    output: 'video' as const,
    parameters: { prompt: `the sea, hour ${index + 1}`, resolution: of.resolution, duration: 5, seed: index },
    startsOn: index === 0 ? null : `shot-${index}`,
  }));
  return {
    name: 'chain',
    title: `${of.shots} linked shots of 5 s at ${of.resolution}, ${of.seconds} s each at the gateway`,
    rounds: of.rounds,
    task: () => ({ jobs: [{ id: 'chain', film: true, shots }], taskSeconds: of.seconds, pollMs: POLL_MS }),
    figures: ({ seconds, tasks }) => {
      const gatewaySeconds = tasks.map(({ acceptedAt, finishedAt }) => secondsBetween(acceptedAt, finishedAt));
      const handOffs = tasks
        .slice(1)
        .map(({ acceptedAt }, index) => secondsBetween(tasks[index]?.finishedAt ?? null, acceptedAt));
      return {
        'wall over ideal': seconds / sum(gatewaySeconds),
        'hand-off, ms': median(handOffs) * 1_000,
      };
    },
  };
}

/** Video models' times (lognormal, median 90 s, 95 % within 240 s), and an image model's, at a tenth. */
const TENTH_TIMES: Readonly<Record<string, Lognormal>> = {
  [TEXT_MODEL]: { median: 9, p95: 24 },
  [PICTURE_MODEL]: { median: 4, p95: 10 },
};
const SHORT_TIMES: Readonly<Record<string, Lognormal>> = {
  [TEXT_MODEL]: { median: 2, p95: 4 },
  [PICTURE_MODEL]: { median: 1, p95: 3 },
};

/** How soon an end is seen, and by how many looks. */
function detection(of: { tasks: number; times: Readonly<Record<string, Lognormal>>; rounds: number }): MeasuredWork {
  const models = Object.keys(of.times);
  const modelOf = (index: number): string => models[index % models.length] ?? TEXT_MODEL;
  return {
    name: 'detection',
    title: `${of.tasks} tasks of two models, lognormal times`,
    rounds: of.rounds,
    task: (round) => ({
      jobs: singles(of.tasks, (index) => ({ model: modelOf(index), prompt: `round ${round}, task ${index}` })),
      taskSeconds: of.times,
      pollMs: POLL_MS,
    }),
    figures: ({ tasks }) => lags(tasks),
  };
}

/** Tasks that are ready as soon as they are asked for. */
function throughput(of: { tasks: number; rounds: number }): MeasuredWork {
  return {
    name: 'throughput',
    title: `${of.tasks} tasks that are ready at once`,
    rounds: of.rounds,
    task: () => ({ jobs: texts(of.tasks), taskSeconds: 'fast', pollMs: POLL_MS }),
    figures: ({ seconds, program, service }) => ({
      'tasks a second': of.tasks / seconds,
      'program CPU, ms a task': (program.cpuSeconds / of.tasks) * 1_000,
      'service CPU, ms a task': (service.cpuSeconds / of.tasks) * 1_000,
      'program, peak MB': program.peakMegabytes,
      'service, peak MB': service.peakMegabytes,
    }),
  };
}

/** All of them at the gateway at once, for long. */
function inFlight(of: { tasks: number; seconds: number }): MeasuredWork {
  return {
    name: 'in-flight',
    title: `${of.tasks} tasks of ${of.seconds} s, all in flight`,
    rounds: 1,
    task: () => ({
      jobs: texts(of.tasks),
      taskSeconds: of.seconds,
      pollMs: CALM_POLL_MS,
      window: { opens: ({ accepted }) => accepted >= of.tasks, closes: ({ ended }) => ended > 0 },
    }),
    figures: ({ program, service, windowSeconds, tasks }) => ({
      'program, cores': program.cpuSeconds / windowSeconds,
      'service, cores': service.cpuSeconds / windowSeconds,
      'program, peak MB': program.peakMegabytes,
      'service, peak MB': service.peakMegabytes,
      ...lags(tasks),
    }),
  };
}

/** Killed once, and started again. */
function crash(of: { tasks: number; rounds: number; title: string; onWire: boolean }): MeasuredWork {
  return {
    name: of.onWire ? 'crash-on-wire' : 'crash-polling',
    title: `${of.tasks} tasks, ${of.title}`,
    rounds: of.rounds,
    task: (round) => ({
      jobs: texts(of.tasks),
      taskSeconds: 5,
      pollMs: POLL_MS,
      ...(of.onWire ? { faults: [{ kind: 'accept-late', seconds: 3, share: 1, count: of.tasks }] } : {}),
      killWhen: ({ accepted, ended }) =>
        of.onWire ? accepted > (of.tasks * round) / (of.rounds * 8) : ended > (of.tasks * round) / of.rounds,
    }),
    figures: ({ tasks, outputs, goesOnAfterSeconds, seconds }) => {
      const paid = new Set(tasks.map(({ parameters }) => String(parameters['prompt'])));
      return {
        lost: of.tasks - Object.keys(outputs).length,
        'paid twice': tasks.length - paid.size,
        'goes on after, s': goesOnAfterSeconds ?? NaN,
        'done after, s': seconds,
      };
    },
  };
}

function texts(count: number): readonly Job[] {
  return singles(count, (index) => ({ model: TEXT_MODEL, prompt: `the sea, hour ${index}` }));
}

function singles(count: number, of: (index: number) => { model: string; prompt: string }): readonly Job[] {
  return Array.from({ length: count }, (_, index) => {
    const { model, prompt } = of(index);
    return {
      id: `job-${index}`,
      film: false,
      shots: [{ id: 'only', model, output: OUTPUTS[model] ?? 'video', parameters: { prompt }, startsOn: null }],
    };
  });
}

/** From the end of a task at the gateway to the moment when somebody is told of it. */
function lags(tasks: readonly GatewayTask[]): Figures {
  const seconds = tasks.map(({ finishedAt, endToldAt }) => secondsBetween(finishedAt, endToldAt));
  return {
    'lag, mean s': sum(seconds) / seconds.length,
    'lag, p95 s': quantile(seconds, 0.95),
    'polls a task': sum(tasks.map(({ reads }) => reads)) / tasks.length,
  };
}

function secondsBetween(from: string | null, to: string | null): number {
  return (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1_000;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** By linear interpolation between the two nearest. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)] ?? NaN, sorted[Math.ceil(place)] ?? NaN];
  return low + (high - low) * (place - Math.floor(place));
}
