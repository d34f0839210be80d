import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { type AssetRef } from '../../contracts/asset';
import { type BatchInput, type RowEnd, type RowNews, type RowPlace } from '../../contracts/render/batch';
import { batchWorkflowId } from '../../contracts/identifiers';
import { replayHistories } from '../support/replay';
import { type RecordedEvent } from './recorded-histories';

/** The bundle that workers run; it must be built before. */
const BUNDLE = join(__dirname, '..', '..', 'dist', 'workflow-bundle.js');

const QUEUE = { name: 'queue' };
const AT = '2026-11-22T07:00:00.000Z';
const STARTED_SECONDS = Date.parse(AT) / 1_000;

/** A history continues as new from its 15th event on, which no batch of this size would otherwise do. */
const PARALLEL = 581;

/** An event, or what makes it of its number. */
type Step = RecordedEvent | ((eventId: number) => RecordedEvent);

beforeAll(() => {
  Runtime.install({ logger: new DefaultLogger('ERROR', () => undefined), shutdownSignals: [] });
});

/**
 * The server starts a notice within milliseconds, too fast to hit this moment, so the history is written by hand. It
 * contains what a batch has to do, command by command.
 */
it('a batch records a row that reports its end while a notice is being started at the end of its history', async () => {
  const history = { events: numbered(lateEnd()) };
  const workflowBundle = { code: readFileSync(BUNDLE, 'utf8') };
  const histories = [{ workflowId: batchWorkflowId('store', 'rows'), history }];
  const errors = [];
  for await (const { error } of replayHistories({ workflowBundle }, histories)) errors.push(error);
  expect(errors).toEqual([undefined]);
});

function lateEnd(): readonly Step[] {
  return [
    {
      eventType: 1,
      workflowExecutionStartedEventAttributes: {
        workflowType: { name: 'batch' },
        taskQueue: QUEUE,
        input: payloads(input()),
        workflowTaskTimeout: { seconds: 5 },
        originalExecutionRunId: 'run',
        firstExecutionRunId: 'run',
        attempt: 1,
      },
    },
    ...workflowTask(),
    timerStarted('1', 30),
    timerStarted('2', 5),
    rowNews('a'),
    ...workflowTask(),
    timerStarted('3', 2),
    rowNews('b'),
    rowNews('c'),
    // Its length is reached: ended rows are recorded.
    ...workflowTask(),
    { eventType: 19, timerCanceledEventAttributes: { timerId: '3', startedEventId: 11 } },
    ...noteRows('1'),
    { eventType: 18, timerFiredEventAttributes: { timerId: '2', startedEventId: 6 } },
    // Meanwhile a row reports that it waits.
    ...workflowTask(),
    { eventType: 29, startChildWorkflowExecutionInitiatedEventAttributes: notice() },
    ...noted(18),
    ...workflowTask(),
    rowNews('d'),
    ...workflowTask(),
    {
      eventType: 31,
      childWorkflowExecutionStartedEventAttributes: {
        ...notice(),
        initiatedEventId: 23,
        workflowExecution: { workflowId: 'notice', runId: 'other' },
      },
    },
    ...workflowTask(),
    // The row that has ended since.
    ...noteRows('2'),
    ...noted(37),
    ...workflowTask(),
    {
      eventType: 28,
      workflowExecutionContinuedAsNewEventAttributes: {
        newExecutionRunId: 'next',
        workflowType: { name: 'batch' },
        taskQueue: QUEUE,
        input: payloads({}),
      },
    },
  ];
}

function input(): BatchInput {
  const index = { sha256: '0'.repeat(64), sizeBytes: 1, mediaType: 'application/json' } as AssetRef;
  const target = { sha256: '0'.repeat(64) } as unknown as NonNullable<BatchInput['notify']>['target'];
  return {
    ...{ batchId: 'rows', storeId: 'store', run: 1, renderId: 'render', searchable: false },
    ...{ index, pages: 0, rows: 5, open: 5, parallel: PARALLEL, stopAfterFailures: null },
    notify: { target },
    carried: {
      ...{ startedAt: AT, page: 0, begun: 0, noted: 0, stopped: null, credits: 0, toldWaits: false },
      underWay: ['a', 'b', 'c', 'd'].map(place),
      parked: [{ ...place('waits'), end: { ...end('waits'), state: 'parked', parkedFor: 'unclear' } }],
      counts: { completed: 0, failed: 0, skipped: 0, cancelled: 0, parked: 0 },
    },
  };
}

function place(key: string): RowPlace {
  return { key, digest: key, page: 0, isProduction: false };
}

function end(key: string): RowEnd {
  const none = { reason: null, parkedFor: null, take: 1, taskId: null, credits: 1, asset: null };
  return { key, digest: key, state: 'completed', ...none, at: AT };
}

function rowNews(key: string): RecordedEvent {
  const news: RowNews = { key, digest: key, runId: `run of ${key}`, news: 1, end: end(key) };
  return {
    eventType: 26,
    workflowExecutionSignaledEventAttributes: { signalName: 'rowNews', input: payloads(news) },
  };
}

function timerStarted(timerId: string, seconds: number): RecordedEvent {
  return { eventType: 17, timerStartedEventAttributes: { timerId, startToFireTimeout: { seconds } } };
}

function noteRows(activityId: string): readonly RecordedEvent[] {
  return [
    {
      eventType: 10,
      activityTaskScheduledEventAttributes: { activityId, activityType: { name: 'noteRows' }, taskQueue: QUEUE },
    },
  ];
}

function noted(scheduledEventId: number): readonly RecordedEvent[] {
  const startedEventId = 0;
  return [
    { eventType: 11, activityTaskStartedEventAttributes: { scheduledEventId, attempt: 1 } },
    {
      eventType: 12,
      activityTaskCompletedEventAttributes: { scheduledEventId, startedEventId, result: payloads(null) },
    },
  ];
}

function notice(): RecordedEvent {
  return { workflowId: 'notice', workflowType: { name: 'notice' } };
}

function workflowTask(): readonly Step[] {
  return [
    { eventType: 5, workflowTaskScheduledEventAttributes: { taskQueue: QUEUE, startToCloseTimeout: { seconds: 5 } } },
    (eventId) => ({ eventType: 6, workflowTaskStartedEventAttributes: { scheduledEventId: eventId - 1 } }),
    (eventId) => ({
      eventType: 7,
      workflowTaskCompletedEventAttributes: { scheduledEventId: eventId - 2, startedEventId: eventId - 1 },
    }),
  ];
}

function payloads(...values: readonly unknown[]): object {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const payload = (value: unknown): object => ({
    metadata: { encoding: base64('json/plain') },
    data: base64(JSON.stringify(value)),
  });
  return { payloads: values.map(payload) };
}

/** In their order, a second apart. */
function numbered(steps: readonly Step[]): RecordedEvent[] {
  return steps.map((step, index) => {
    const eventId = index + 1;
    const event = typeof step === 'function' ? step(eventId) : step;
    return { eventId, eventTime: { seconds: STARTED_SECONDS + index }, ...event };
  });
}
