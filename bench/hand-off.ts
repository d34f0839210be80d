import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { type TakeOutput } from '../contracts/activities';
import { type FrameSource } from '../contracts/asset';
import { shotWorkflowId } from '../contracts/identifiers';
import { type RunHistory } from '../drill/histories';
import { DRILL_ACCOUNT, DRILL_KEY, type Stage } from '../drill/stage';
import { type SandboxTask } from '../sandbox';
import { dailies } from './command';
import { type Finding, found } from './finding';
import { onOwnStage } from './own-folder';
import { median } from './statistics';

const SHOTS = 8;
const POLL_FLOOR_MS = 500;

/**
 * Duration of a task: `least`, plus up to `spread`. The sandbox needs about this long to render a clip of 5 s. The
 * durations differ, because tasks of equal duration would all end at the same phase of the poll interval.
 */
const GATEWAY_SECONDS = { least: 4.5, spread: 1 };

/** The golden ratio minus 1. Its multiples, modulo 1, are spread evenly. */
const GOLDEN = 0.618_034;

type Events = NonNullable<RunHistory['history']['events']>;

/**
 * Parts of a hand-off, in order, from the end of a shot's task at the gateway to the arrival of the next shot's submit.
 * The next shot starts on the last frame of the clip.
 */
const PARTS = [
  /** Until the read that reports the end, by the gateway's clock. */
  'detection',
  /**
   * Until the activity that downloads the clip starts, by the history: Temporal records the end and runs a workflow
   * task.
   */
  'until the download starts',
  /** Until the clip is in the store, by its file's ctime: one more read, download, hash, probe, flush. */
  'download',
  /**
   * Until the clip's last frame is in the store, by its file's ctime: the download is recorded, and the frame is
   * fetched or cut, then flushed.
   */
  'last frame',
  /** Until the download activity ends: the first frame is stored, and the output is recorded. */
  'first frame, record of the output',
  /** Until the activity that submits starts: the workflow tasks of both shots and the production. */
  'until the submit starts',
  /** Until the submit arrives at the gateway: the activity reads the frame and records the intent. */
  'submit',
] as const;

/**
 * Renders a chain of 5-second clips in 720p with the command `dailies`, and returns the milliseconds of each hand-off
 * and of its parts.
 */
export function measureHandOff(): Promise<readonly Finding[]> {
  return onOwnStage({ renderSeconds: secondsOf }, async (stage, folder) => {
    const file = join(folder, 'chain.json');
    await writeFile(file, JSON.stringify(chain()));
    const worker = await stage.startWorker({ pollFloorMs: POLL_FLOOR_MS });
    try {
      await dailies(['render', file, '--json', '--out', join(folder, 'out')], {
        TEMPORAL_ADDRESS: stage.temporalAddress,
        DAILIES_STORE: stage.store.folder,
        DAILIES_GATEWAY_URL: stage.sandbox.url,
        DAILIES_GATEWAY_KEY: DRILL_KEY,
        DAILIES_GATEWAY_ACCOUNT: DRILL_ACCOUNT,
      });
      const tasks = stage.sandbox.tasks();
      if (tasks.length !== SHOTS) throw new Error(`the gateway accepted ${tasks.length} tasks for ${SHOTS} shots`);
      const handOffs: HandOff[] = [];
      for (let n = 1; n < SHOTS; n += 1) handOffs.push(await takeApart(stage, tasks, n));
      return findingsOf(handOffs);
    } finally {
      worker.signal('SIGTERM');
      await worker.ended;
    }
  });
}

interface HandOff {
  readonly partsMs: readonly number[];
  /** Whether the last frame came from the gateway or was cut from the clip. */
  readonly source: FrameSource;
}

/** Measures the hand-off from shot `n` to the next shot. */
async function takeApart(stage: Stage, tasks: readonly SandboxTask[], n: number): Promise<HandOff> {
  const [task, next] = [tasks[n - 1], tasks[n]];
  const [events, nextEvents] = [await eventsOf(stage, n), await eventsOf(stage, n + 1)];
  const stored = activityOf(events, 'storeOutput');
  const { asset, lastFrame } = defaultPayloadConverter.fromPayload<TakeOutput>(stored.result ?? {});
  if (lastFrame === null) throw new Error(`shot ${n} was stored without a last frame`);
  const arrivedAt = async (ref: TakeOutput['asset']): Promise<number> =>
    (await stat(stage.store.assets.shownPath(ref))).ctimeMs;
  const moments = [
    Date.parse(task?.finishedAt ?? ''),
    Date.parse(stage.sandbox.readsOf(task?.id ?? '').endReportedAt ?? ''),
    stored.startedMs,
    await arrivedAt(asset),
    await arrivedAt(lastFrame.asset),
    stored.completedMs,
    activityOf(nextEvents, 'submitTask').startedMs,
    Date.parse(next?.acceptedAt ?? ''),
  ];
  return {
    partsMs: moments.slice(1).map((moment, index) => moment - (moments[index] ?? NaN)),
    source: lastFrame.source,
  };
}

function findingsOf(handOffs: readonly HandOff[]): readonly Finding[] {
  const sources = [...new Set(handOffs.map(({ source }) => source))].join(' or ');
  const parts = PARTS.map((name, part) => ({ name, values: handOffs.map(({ partsMs }) => partsMs[part] ?? NaN) }));
  const total = handOffs.map(({ partsMs }) => partsMs.reduce((sum, ms) => sum + ms, 0));
  const sumOfMedians = parts.reduce((sum, { values }) => sum + median(values), 0);
  return [
    {
      title: 'hand-off between links',
      quantities: [
        { unit: 'ms', values: total },
        { unit: "ms, the sum of its parts' medians", values: [sumOfMedians] },
      ],
    },
    ...parts.map(({ name, values }) =>
      found(`... ${name}${name === 'last frame' ? ` (from the ${sources})` : ''}`, 'ms', values),
    ),
  ];
}

async function eventsOf({ temporal, store }: Stage, n: number): Promise<Events> {
  const shot = temporal.client.workflow.getHandle(shotWorkflowId(store.id, 'chain', `shot-${n}`));
  return (await shot.fetchHistory()).events ?? [];
}

type Payload = Parameters<typeof defaultPayloadConverter.fromPayload>[0];

/** An activity in a history, with the times of its last attempt. */
interface EndedActivity {
  readonly startedMs: number;
  readonly completedMs: number;
  readonly result: Payload | undefined;
}

/** The first activity of this type in a history. */
function activityOf(events: Events, type: string): EndedActivity {
  const scheduled = events.find((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === type);
  const isOfIt = (id: unknown): boolean => String(id) === String(scheduled?.eventId);
  const started = events.find((event) => isOfIt(event.activityTaskStartedEventAttributes?.scheduledEventId));
  const completed = events.find((event) => isOfIt(event.activityTaskCompletedEventAttributes?.scheduledEventId));
  return {
    startedMs: milliseconds(started),
    completedMs: milliseconds(completed),
    result: completed?.activityTaskCompletedEventAttributes?.result?.payloads?.[0],
  };
}

function milliseconds(event: Events[number] | undefined): number {
  const { seconds = NaN, nanos = 0 } = event?.eventTime ?? {};
  return Number(seconds) * 1_000 + Number(nanos) / 1e6;
}

/** Duration of a task at the gateway, computed from the number at the end of its prompt. */
function secondsOf({ parameters }: SandboxTask): number {
  const n = Number(/\d+$/.exec(String(parameters['prompt']))?.[0]);
  return GATEWAY_SECONDS.least + ((n * GOLDEN) % 1) * GATEWAY_SECONDS.spread;
}

function chain(): unknown {
  return {
    title: 'Chain',
    defaults: { model: 'beta-2.5', resolution: '720p', duration: 5 },
    shots: Array.from({ length: SHOTS }, (_, index) => ({
      id: `shot-${index + 1}`,
      prompt: `the sea, hour ${index + 1}`,
      ...(index === 0 ? {} : { startFrame: { lastFrameOf: `shot-${index}` } }),
    })),
  };
}
