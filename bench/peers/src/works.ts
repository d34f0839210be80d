import { median, quantile } from '../../../dist/bench/statistics';
import { type GatewayTask } from './gateway-program';
import { CHAIN_MODEL, PICTURE_MODEL, singles, TEXT_MODEL, texts } from './jobs';
import { type Run, type Task } from './run';
import { type Figures } from './saved';
import { type Lognormal, type Spread } from './task-seconds';
import { type Shot } from './work';

/** A piece of work that is measured, and how its runs are reckoned. */
export interface MeasuredWork {
  readonly name: string;
  readonly title: string;
  /** Each round as it is done, by its number from 0. */
  readonly task: (round: number) => Task;
  readonly rounds: number;
  /** Whether others than Dailies may lose or pay twice, which is a figure then. */
  readonly isCrash?: boolean;
  readonly figures: (run: Run) => Figures;
}

/** How much of it: as the page has it, or as little as shows that it works. */
export type Scale = 'full' | 'short';

export function measuredWorks(scale: Scale): readonly MeasuredWork[] {
  const isShort = scale === 'short';
  const rounds = isShort ? 1 : 5;
  const pick = (full: number, short: number): number => (isShort ? short : full);
  const limitSeconds = 1_800;
  const crashes = { tasks: pick(100, 20), rounds: pick(10, 1), limitSeconds };
  return [
    chain({ shots: pick(8, 3), times: isShort ? SHORT_CLIP : CLIP, rounds, isShort, limitSeconds }),
    detection({ tasks: pick(200, 20), times: isShort ? SHORT_TIMES : QUICK_TIMES, rounds: pick(3, 1), limitSeconds }),
    throughput({ tasks: pick(500, 40), rounds, limitSeconds }),
    // Below the ten minutes after which Runway's client gives up.
    inFlight({ tasks: pick(2_000, 40), seconds: pick(480, 10), atLeastSeconds: pick(120, 0), limitSeconds }),
    crashOnWire(crashes),
    crashPolling(crashes),
  ];
}

/** What the manner of fal-js polls by; where a contender's manner does not say. */
const POLL_MS = 500;
/** With thousands in flight nobody polls twice a second. */
const CALM_POLL_MS = 5_000;

/**
 * Between these, so that a poll's rhythm and the gateway's time meet by chance: where all clips take 5.0 s, whoever asks
 * each 0.5 s sees all ends at once, and who asks each 0.54 s none.
 */
const CLIP: Spread = { from: 4.5, to: 5.5 };
const SHORT_CLIP: Spread = { from: 1.5, to: 2.5 };

interface Rounds {
  readonly rounds: number;
  readonly limitSeconds: number;
}

/** One shot after the other, each on the last frame of the one before. */
function chain({
  shots: count,
  times,
  isShort,
  ...of
}: Rounds & { shots: number; times: Spread; isShort: boolean }): MeasuredWork {
  const resolution = isShort ? '480P' : '720P';
  const shots = (round: number): readonly Shot[] =>
    Array.from({ length: count }, (_, index) => ({
      id: `shot-${index + 1}`,
      model: CHAIN_MODEL,
      output: 'video' as const,
      parameters: { prompt: `the sea, day ${round}, hour ${index + 1}`, resolution, duration: 5, seed: index },
      startsOn: index === 0 ? null : `shot-${index}`,
    }));
  return {
    name: 'chain',
    title: `${count} linked shots of 5 s at ${resolution}, ${times.from} to ${times.to} s each at the gateway`,
    rounds: of.rounds,
    task: (round) => ({
      jobs: [{ id: 'chain', film: true, shots: shots(round) }],
      taskSeconds: times,
      pollMs: POLL_MS,
      limitSeconds: of.limitSeconds,
    }),
    figures: ({ whole, tasks }) => {
      const gatewaySeconds = tasks.map(({ acceptedAt, finishedAt }) => secondsBetween(acceptedAt, finishedAt));
      const links = tasks.slice(1).map(({ acceptedAt }, index) => ({ before: tasks[index], acceptedAt }));
      const milliseconds = (values: readonly number[]): number => median(values) * 1_000;
      return {
        'wall over ideal': whole.program.seconds / sum(gatewaySeconds),
        'hand-off, ms': milliseconds(
          links.map(({ before, acceptedAt }) => secondsBetween(before?.finishedAt ?? null, acceptedAt)),
        ),
        'of it until its end is seen, ms': milliseconds(
          links.map(({ before }) => secondsBetween(before?.finishedAt ?? null, before?.endToldAt ?? null)),
        ),
      };
    },
  };
}

/**
 * Times of quick models (lognormal): a tenth of what video models show (median 90 s, 95 % within 240 s), and of pictures.
 * Everybody polls as always, so they say nothing of how a manner does with tasks of minutes.
 */
const QUICK_TIMES: Readonly<Record<string, Lognormal>> = {
  [TEXT_MODEL]: { median: 9, p95: 24 },
  [PICTURE_MODEL]: { median: 4, p95: 9 },
};
const SHORT_TIMES: Readonly<Record<string, Lognormal>> = {
  [TEXT_MODEL]: { median: 2, p95: 4 },
  [PICTURE_MODEL]: { median: 1, p95: 3 },
};

/** Ends of a model that a contender may learn from. */
const LEARNED_FROM = 20;

/** How soon an end is seen, and by how many looks. */
function detection({
  tasks,
  times,
  ...of
}: Rounds & { tasks: number; times: Readonly<Record<string, Lognormal>> }): MeasuredWork {
  const models = Object.keys(times);
  const medians = Object.values(times)
    .map((time) => time.median)
    .join(' and ');
  const modelOf = (index: number): string => models[index % models.length] ?? TEXT_MODEL;
  return {
    name: 'detection',
    title: `${tasks} tasks of two quick models at once, lognormal times (median ${medians} s)`,
    rounds: of.rounds,
    task: (round) => ({
      jobs: singles(tasks, (index) => ({ model: modelOf(index), prompt: `round ${round}, task ${index}` })),
      taskSeconds: times,
      pollMs: POLL_MS,
      limitSeconds: of.limitSeconds,
    }),
    figures: ({ tasks: done }) => {
      const later = models.flatMap((model) => laterEnds(done.filter((task) => task.model === model)));
      return { ...lags(done), 'lag after 20 ends, mean s': mean(later.map(lagSeconds)) };
    },
  };
}

/** Those that have ended after so many others that something could be learned of them. */
function laterEnds(tasks: readonly GatewayTask[]): readonly GatewayTask[] {
  return tasks.toSorted((a, b) => secondsBetween(b.finishedAt, a.finishedAt)).slice(LEARNED_FROM);
}

/** Tasks that are ready as soon as they are asked for. */
function throughput({ tasks, ...of }: Rounds & { tasks: number }): MeasuredWork {
  return {
    name: 'throughput',
    title: `${tasks} tasks that are ready at once`,
    rounds: of.rounds,
    task: (round) => ({
      jobs: texts(tasks, round),
      taskSeconds: 'fast',
      pollMs: POLL_MS,
      limitSeconds: of.limitSeconds,
    }),
    figures: ({ whole: { program, service } }) => ({
      'tasks a second': tasks / program.seconds,
      'program CPU, ms a task': (program.cpuSeconds / tasks) * 1_000,
      'service CPU, ms a task': (service.cpuSeconds / tasks) * 1_000,
      'program at most, MB': program.peakMegabytes,
      'service at most, MB': service.peakMegabytes,
    }),
  };
}

/** All of them at the gateway at once, for long. */
function inFlight(of: {
  readonly tasks: number;
  readonly seconds: number;
  readonly atLeastSeconds: number;
  readonly limitSeconds: number;
}): MeasuredWork {
  return {
    name: 'in-flight',
    title: `${of.tasks} tasks of ${of.seconds} s, all in flight`,
    rounds: 1,
    task: (round) => ({
      jobs: texts(of.tasks, round),
      taskSeconds: of.seconds,
      pollMs: CALM_POLL_MS,
      window: {
        opens: ({ accepted }) => accepted >= of.tasks,
        closes: ({ ended }) => ended > 0,
        atLeastSeconds: of.atLeastSeconds,
      },
      limitSeconds: of.limitSeconds,
    }),
    figures: ({ whole, window, tasks }) => {
      if (window === null) throw new Error('what they use in flight was not measured');
      const { program, service } = window;
      return {
        'program, cores': program.cpuSeconds / program.seconds,
        'service, cores': service.cpuSeconds / service.seconds,
        'program in flight, MB': program.peakMegabytes,
        'service in flight, MB': service.peakMegabytes,
        'program at most, MB': whole.program.peakMegabytes,
        'service at most, MB': whole.service.peakMegabytes,
        'all in flight for, s': program.seconds,
        ...lags(tasks),
      };
    },
  };
}

/** The gateway accepts the first submits at once, and answers so much later. */
const ANSWERED_AFTER_SECONDS = 3;

/** By then everybody has sent what they send at once. */
const ALL_SENT_AFTER_SECONDS = 1;
/** Before the first answers come. */
const LAST_KILL_SECONDS = 2.5;

/** Killed while submits are on the wire: so long after the first was accepted, by round. */
function crashOnWire({ tasks, ...of }: Rounds & { tasks: number }): MeasuredWork {
  return {
    name: 'crash-on-wire',
    title: `${tasks} tasks, killed while submits are on the wire`,
    rounds: of.rounds,
    isCrash: true,
    task: (round) => ({
      ...crashTask(tasks, round, of.limitSeconds),
      faults: [{ kind: 'accept-late', seconds: ANSWERED_AFTER_SECONDS, share: 1, count: tasks }],
      kill: {
        when: ({ accepted }) => accepted > 0,
        afterSeconds: ALL_SENT_AFTER_SECONDS + (LAST_KILL_SECONDS - ALL_SENT_AFTER_SECONDS) * shareOf(round),
      },
    }),
    figures: (run) => ({ 'on the wire': run.crash?.onWire ?? NaN, ...crashFigures(run, tasks) }),
  };
}

/** Killed while tasks are polled: when so many have ended, by round. */
function crashPolling({ tasks, ...of }: Rounds & { tasks: number }): MeasuredWork {
  return {
    name: 'crash-polling',
    title: `${tasks} tasks, killed while tasks are polled`,
    rounds: of.rounds,
    isCrash: true,
    task: (round) => ({
      ...crashTask(tasks, round, of.limitSeconds),
      kill: { when: ({ ended }) => ended > tasks * shareOf(round), afterSeconds: 0 },
    }),
    figures: (run) => crashFigures(run, tasks),
  };
}

function crashTask(tasks: number, round: number, limitSeconds: number): Task {
  return { jobs: texts(tasks, round), taskSeconds: { from: 4, to: 8 }, pollMs: POLL_MS, limitSeconds };
}

/** Somewhere between 0 and 1, for each round elsewhere, however many there are: multiples of the golden section. */
function shareOf(round: number): number {
  return (0.5 + round * 0.618_034) % 1;
}

function crashFigures({ tasks, outputs, crash }: Run, wanted: number): Figures {
  const paid = new Set(tasks.map(({ parameters }) => String(parameters['prompt'])));
  return {
    lost: wanted - Object.keys(outputs).length,
    'paid twice': tasks.length - paid.size,
    'asked of a person': crash?.asked ?? NaN,
    'first request after, s': crash?.firstRequestSeconds ?? NaN,
    'done after, s': crash?.doneSeconds ?? NaN,
  };
}

/** From the end of a task at the gateway to the moment when somebody is told of it. */
function lagSeconds({ finishedAt, endToldAt }: GatewayTask): number {
  return secondsBetween(finishedAt, endToldAt);
}

function lags(tasks: readonly GatewayTask[]): Figures {
  const seconds = tasks.map(lagSeconds);
  return {
    'lag, mean s': mean(seconds),
    'lag, p95 s': quantile(seconds, 0.95),
    'polls a task': mean(tasks.map(({ reads }) => reads)),
  };
}

function secondsBetween(from: string | null, to: string | null): number {
  return (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1_000;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
