import { type TaskOutcome } from '../../../contracts/activities';
import { type ActivityBench, acceptedTake, oneShotFilm, startBench } from '../../support/activity-bench';
import { ADDRESS, settled } from '../../support/ledger-fixtures';
import {
  acceptAll,
  type Answer,
  json,
  type ScriptedGateway,
  startScriptedGateway,
} from '../../support/scripted-gateway';
import { recordsOf } from '../../support/store-records';

const reading = (response: object): Answer => {
  return (_request, answer) => json(answer, 200, { status: 'success', response: { id: 'task-1', ...response } });
};
const COMPLETED = { status: 'COMPLETED', result: { url: 'http://127.0.0.1/clip.mp4' }, usage: { credits: 21 } };

describe('awaitTask', () => {
  let gateway: ScriptedGateway;
  let bench: ActivityBench;
  let task: Awaited<ReturnType<typeof acceptedTake>>;

  beforeEach(async () => {
    gateway = await startScriptedGateway(acceptAll());
    bench = await startBench(gateway.url, 'key', oneShotFilm());
    task = await acceptedTake(bench);
    gateway.arrived.length = 0;
  });

  afterEach(async () => {
    await bench.close();
    await gateway.close();
  });

  function awaitTask(attempt = 2, lastRead = false, heartbeatDetails?: unknown): Promise<TaskOutcome> {
    const { take, taskId, acceptedAt } = task;
    const { polls } = bench.activities();
    return bench.run(polls.awaitTask, { take, taskId, acceptedAt, lastRead }, { attempt, heartbeatDetails });
  }

  it('waits within the attempt while the task is about to end, and records its end', async () => {
    let reads = 0;
    gateway.answer = (request, response) => {
      reads += 1;
      return reading(reads < 4 ? { status: 'IN_PROGRESS' } : COMPLETED)(request, response);
    };
    expect(await awaitTask(1)).toEqual({ state: 'completed', credits: 21 });
    expect(reads).toBe(4);
    expect((await bench.store.ledger.take(ADDRESS))?.settled).toMatchObject({ state: 'completed', credits: 21 });
  });

  it('checks the ledger first: an ended task is not read again', async () => {
    gateway.answer = reading(COMPLETED);
    await awaitTask();
    const reads = gateway.arrived.length;
    expect(await awaitTask()).toEqual({ state: 'completed', credits: 21 });
    expect(gateway.arrived).toHaveLength(reads);
  });

  it('hands over to the next attempt, benign, when the next read is not due soon', async () => {
    gateway.answer = reading({ status: 'ACCEPTED' });
    const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
    task = { ...task, acceptedAt: anHourAgo };
    await expect(awaitTask()).rejects.toMatchObject({ type: 'TaskPending', category: 'BENIGN', nonRetryable: false });
    expect(gateway.arrived).toHaveLength(1);
  });

  it('treats a status that the specification does not name as pending', async () => {
    gateway.answer = reading({ status: 'WARMING_UP' });
    expect(await awaitTask(1, true)).toEqual({ state: 'pending' });
  });

  it('returns the end in the ledger if another worker recorded one first', async () => {
    gateway.answer = async (request, response) => {
      await bench.store.ledger.settle(ADDRESS, settled('failed'));
      await reading(COMPLETED)(request, response);
    };
    expect(await awaitTask()).toEqual({ state: 'failed', credits: 12, reason: 'no luck' });
    expect((await bench.store.ledger.take(ADDRESS))?.settled).toMatchObject({ state: 'failed' });
  });

  it('returns FAILED with the gateway’s reason', async () => {
    gateway.answer = reading({ status: 'FAILED', error: { code: 'content_policy', message: 'no lighthouses' } });
    expect(await awaitTask()).toEqual({ state: 'failed', credits: null, reason: 'content_policy: no lighthouses' });
  });

  it.each([401, 403, 404, 429, 500, 503])(
    'repeats a read that was answered %i, the first after at most 5 s',
    async (status) => {
      gateway.answer = (_request, response) => json(response, status, {});
      const failure = await awaitTask().catch((error: unknown) => error as { nextRetryDelay: number });
      expect(failure).toMatchObject({ type: 'GatewayUnreadable', nonRetryable: false });
      expect((failure as { nextRetryDelay: number }).nextRetryDelay).toBeLessThanOrEqual(5_000);
      const later = awaitTask(9, false, { failedInARow: 8 });
      await expect(later).rejects.toMatchObject({ nextRetryDelay: expect.any(Number) });
      expect((await bench.store.ledger.take(ADDRESS))?.settled).toBeUndefined();
    },
  );

  it('obeys Retry-After on a read', async () => {
    gateway.answer = (_request, response) => json(response, 429, {}, { 'retry-after': '90' });
    await expect(awaitTask()).rejects.toMatchObject({ type: 'GatewayUnreadable', nextRetryDelay: 90_000 });
  });

  it.each<[string, Answer]>([
    ['garbage', (_request, response) => void response.writeHead(200).end('{"status": "succ')],
    ['an HTML page', (_request, response) => void response.writeHead(200).end('<html></html>')],
    [
      'another task’s answer',
      (_request, response) => json(response, 200, { status: 'success', response: { ...COMPLETED, id: 'task-9' } }),
    ],
    ['nothing', (_request, response) => void response.destroy()],
  ])('accepts nothing from %s', async (_what, answer) => {
    gateway.answer = answer;
    await expect(awaitTask()).rejects.toMatchObject({ type: 'GatewayUnreadable', nonRetryable: false });
    expect((await bench.store.ledger.take(ADDRESS))?.settled).toBeUndefined();
  });

  it('learns how long a model usually takes, and first reads a later task when the quickest usually end', async () => {
    await recordsOf(bench.store).replace(await usualTimesKey(), [800, 900, 1_000]);
    gateway.answer = reading(COMPLETED);
    gateway.arrived.length = 0;
    task = { ...task, acceptedAt: new Date().toISOString() };
    const begun = Date.now();
    await awaitTask(1);
    expect(gateway.arrived).toHaveLength(1);
    expect(Date.now() - begun).toBeGreaterThanOrEqual(700);
  });

  describe('learns how long a model takes', () => {
    const LEARNED = [expect.any(Number), expect.any(Number)];
    it.each<[from: string, noted: readonly unknown[], ageMs: number, attempt: number, lastRead: boolean, beat: object]>(
      [
        ['from a first read that came when it was due', [LEARNED], 0, 1, false, {}],
        ['from a later read that did', [LEARNED], 9_000, 2, false, { planned: 0, due: 0, pending: 1_000 }],
        ['not if the task was accepted long before the first read, as before a crash', [], 20_000, 1, false, {}],
        ['not from the last read after a deadline, as after a night without workers', [], 172_800_000, 1, true, {}],
        ['not from a read that came late', [], 90_000, 2, false, { planned: 60_000, due: 60_000, pending: 70_000 }],
        [
          'not after failed reads, which moved the next one',
          [],
          90_000,
          2,
          false,
          { planned: 60_000, due: 0, pending: 70_000 },
        ],
        ['not from reads that a worker of an older version planned', [], 9_000, 2, false, { due: 0, pending: 1_000 }],
      ],
    )('%s', async (_from, noted, ageMs, attempt, lastRead, beat) => {
      const key = await usualTimesKey();
      await recordsOf(bench.store).replace(key, [800]);
      gateway.answer = reading(COMPLETED);
      task = { ...task, acceptedAt: new Date(Date.now() - ageMs).toISOString() };
      const times = Object.entries(beat).map(([name, agoMs]) => [`${name}AtMs`, Date.now() - Number(agoMs)]);
      expect(await awaitTask(attempt, lastRead, Object.fromEntries(times))).toMatchObject({ state: 'completed' });
      expect(await recordsOf(bench.store).read(key)).toEqual([800, ...noted]);
    });

    it('not from a task that a person has adopted, whose age is unknown', async () => {
      const key = await usualTimesKey();
      gateway.answer = (_request, response) => json(response, 500, {});
      const other = await startBench(gateway.url, 'key', oneShotFilm());
      const { submits, polls } = other.activities();
      expect(await other.run(submits.submitTask, other.input)).toMatchObject({ state: 'unclear' });
      const record = { taskId: 'task-1', at: new Date().toISOString() };
      await other.store.ledger.endSending(ADDRESS, 1, { kind: 'accepted', record });
      const { take } = await acceptedTake(other);
      gateway.answer = reading(COMPLETED);
      const input = { take, taskId: 'task-1', acceptedAt: record.at, lastRead: false };
      expect(await other.run(polls.awaitTask, input)).toMatchObject({ state: 'completed' });
      expect(await recordsOf(other.store).read(key)).toBeUndefined();
      await other.close();
    });
  });

  async function usualTimesKey(): Promise<string> {
    gateway.answer = reading(COMPLETED);
    const other = await startBench(gateway.url, 'key', oneShotFilm());
    gateway.answer = acceptAll();
    const { take, taskId, acceptedAt } = await acceptedTake(other);
    gateway.answer = reading(COMPLETED);
    const { polls } = other.activities();
    await other.run(polls.awaitTask, { take, taskId, acceptedAt, lastRead: false });
    const [name = ''] = await recordsOf(other.store).list('usual-times');
    await other.close();
    return `usual-times/${name}`;
  }
});
