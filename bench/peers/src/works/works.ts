import { median } from '../../../../dist/bench/statistics';
import { type GatewayTask } from '../gateway-program';
import { type Lognormal, type Spread } from '../task-seconds';
import { type Shot } from '../work';
import { crashOnWire, crashPolling } from './crash-works';
import { lags, lagSeconds, mean, secondsBetween, sum } from './figures';
import { CHAIN_MODEL, PICTURE_MODEL, singles, TEXT_MODEL, texts } from './jobs';
import { type MeasuredWork, POLL_MS, type Rounds } from './measured-work';

/** Size of the workloads: `full` for the published figures, `short` to check that the benchmark runs. */
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
    // The tasks are shorter than the ten minutes after which Runway's client gives up.
    inFlight({ tasks: pick(2_000, 40), seconds: pick(480, 10), atLeastSeconds: pick(120, 0), limitSeconds }),
    crashOnWire(crashes),
    crashPolling(crashes),
  ];
}

/** Poll interval with thousands of tasks in flight. Polls every 500 ms would be unrealistic. */
const CALM_POLL_MS = 5_000;

/**
 * Clip times vary, so that they do not align with a poll interval. If all clips took 5.0 s, polls every 0.5 s would see
 * every end immediately, and polls every 0.54 s would see every end late.
 */
const CLIP: Spread = { from: 4.5, to: 5.5 };
const SHORT_CLIP: Spread = { from: 1.5, to: 2.5 };

/** A chain: each shot starts on the last frame of the previous shot. */
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
          links.map(({ before }) => secondsBetween(before?.finishedAt ?? null, before?.endReportedAt ?? null)),
        ),
      };
    },
  };
}

/**
 * Lognormal times of fast models. Texts take a tenth of the times of video models (median 90 s, 95 % within 240 s), and
 * pictures take their usual times. Poll intervals are not scaled, so the results do not apply to tasks that take
 * minutes.
 */
const QUICK_TIMES: Readonly<Record<string, Lognormal>> = {
  [TEXT_MODEL]: { median: 9, p95: 24 },
  [PICTURE_MODEL]: { median: 4, p95: 9 },
};
const SHORT_TIMES: Readonly<Record<string, Lognormal>> = {
  [TEXT_MODEL]: { median: 2, p95: 4 },
  [PICTURE_MODEL]: { median: 1, p95: 3 },
};

/** Number of a model's ended tasks after which a contender may know the model's usual times. */
const LEARNED_FROM = 20;

/** Measures the lag until an end is seen, and the number of reads. */
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

/** Tasks of one model that ended after the first `LEARNED_FROM` tasks. */
function laterEnds(tasks: readonly GatewayTask[]): readonly GatewayTask[] {
  return tasks.toSorted((a, b) => secondsBetween(b.finishedAt, a.finishedAt)).slice(LEARNED_FROM);
}

/** Text tasks that end as soon as the sandbox has written the text. */
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

/** Many tasks at the gateway at once, for a long time. */
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
      if (window === null) throw new Error('the resource use with all tasks in flight was not measured');
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
