import { type FrozenProduction } from '../../../contracts/render/frozen';
import { tellOfRefusedKey } from '../../../activities/account/key-notice';
import { type ActivityBench, oneShotFilm, startBench } from '../../support/activity-bench';
import {
  acceptAll,
  type Answer,
  json,
  type ScriptedGateway,
  startScriptedGateway,
} from '../../support/scripted-gateway';

const [DAWN] = oneShotFilm().shots;
const SHOTS = ['a', 'b', 'c', 'last'].map((id) => ({ ...DAWN!, id, parameters: { prompt: id } }));
const FILM: FrozenProduction = { ...oneShotFilm(), shots: SHOTS };

const REFUSE: Answer = (_request, response) => json(response, 401, { error: 'no such key' });
const NO_TASK: Answer = (_request, response) => json(response, 404, {});

describe('a key that the gateway refuses', () => {
  let gateway: ScriptedGateway;
  let bench: ActivityBench;

  beforeEach(async () => {
    gateway = await startScriptedGateway(REFUSE);
    bench = await startBench(gateway.url, 'key', FILM);
  });

  afterEach(async () => {
    await bench.close();
    await gateway.close();
  });

  /** Every shot except the last, several times, as Temporal retries them. */
  async function submitAll(worker: ReturnType<ActivityBench['activities']>): Promise<unknown[]> {
    const found: unknown[] = [];
    for (const { id } of [...SHOTS.slice(0, -1), ...SHOTS.slice(0, -1)]) {
      found.push(
        await bench.run(worker.submits.submitTask, { ...bench.input, shotId: id }).catch((error: unknown) => error),
      );
    }
    return found;
  }

  /** The gate's pauses are over. */
  const passTime = (): Promise<void> =>
    bench.store.account('account').gate.close({
      ...{ for: 'key', reason: 'refused', since: '2020-01-01T00:00:00Z', failures: 1 },
      ...{ tryAt: '2020-01-01T00:00:00Z', tryAnywayAt: '2020-01-01T00:00:00Z' },
    });

  it('is reported once by each worker, with what to do; retries add no lines to the log', async () => {
    const worker = bench.activities();
    for (const error of await submitAll(worker)) {
      expect(error).toMatchObject({ type: 'KeyRefused', category: 'BENIGN' });
    }
    expect(bench.notices).toEqual([expect.stringContaining('DAILIES_GATEWAY_KEY_FILE')]);
    await passTime();
    await submitAll(worker);
    expect(bench.notices).toHaveLength(1);
    await passTime();
    await submitAll(bench.activities());
    expect(bench.notices).toHaveLength(2);
  });

  it('is reported again if the key worked in between', async () => {
    const worker = bench.activities();
    await submitAll(worker);
    const accept = acceptAll();
    gateway.answer = (request, response) => (request.method === 'POST' ? accept : NO_TASK)(request, response);
    await passTime();
    expect((await submitAll(worker)).at(-1)).toMatchObject({ state: 'accepted' });
    expect(bench.notices).toHaveLength(1);
    gateway.answer = REFUSE;
    const last = { ...bench.input, shotId: 'last' };
    await bench.run(worker.submits.submitTask, last).catch(() => undefined);
    expect(bench.notices).toHaveLength(2);
  });

  it('is reported once even if reads are allowed and submits are refused in between', async () => {
    const worker = bench.activities();
    gateway.answer = (request, response) =>
      request.method === 'POST' ? json(response, 403, {}) : NO_TASK(request, response);
    for (let times = 0; times < 3; times += 1) {
      await submitAll(worker);
      await passTime();
    }
    expect(gateway.posts().length).toBeGreaterThan(1);
    expect(bench.notices).toHaveLength(1);
  });

  it('is not reported for a refused read of somebody else’s task', async () => {
    gateway.answer = (_request, response) => json(response, 403, {});
    const told: string[] = [];
    const watched = tellOfRefusedKey(bench.gateway, 'account', (line) => void told.push(line));
    await expect(watched.read({ taskId: 'other', model: { id: 'beta-2.5' } })).rejects.toThrow('403');
    expect(told).toEqual([]);
  });

  it('is not accepted by a refused read of somebody else’s task, and is not reported again after it', async () => {
    const statuses = [401, 403, 401];
    gateway.answer = (_request, response) => json(response, statuses.shift() ?? 401, {});
    const told: string[] = [];
    const watched = tellOfRefusedKey(bench.gateway, 'account', (line) => void told.push(line));
    for (const status of [...statuses]) {
      await expect(watched.read({ taskId: 'task', model: { id: 'beta-2.5' } })).rejects.toMatchObject({ status });
    }
    expect(told).toHaveLength(1);
  });

  it('is reported once for reads of tasks, too', async () => {
    gateway.answer = acceptAll();
    const worker = bench.activities();
    const accepted = await bench.run(worker.submits.submitTask, bench.input);
    if (accepted.state !== 'accepted') throw new Error(accepted.state);
    const { take, taskId, acceptedAt } = accepted;
    gateway.answer = REFUSE;
    const input = { take, taskId, acceptedAt, lastRead: false };
    for (const attempt of [2, 3]) {
      await expect(bench.run(worker.polls.awaitTask, input, { attempt })).rejects.toMatchObject({
        ...{ type: 'GatewayUnreadable', category: 'BENIGN' },
      });
    }
    expect(bench.notices).toEqual([expect.stringContaining('no task is read')]);
  });
});
