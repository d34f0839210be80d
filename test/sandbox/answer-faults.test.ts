import { setTimeout as delay } from 'node:timers/promises';
import type { GatewayClient } from '../../gateway';
import { FAULTS, type FaultName } from '../../sandbox';
import { until } from '../support/until';
import { BUSY_MS, clientOf, closeNow, POEM, refusalOf, request, sandbox } from './rig';

const PAID = { idempotencyKey: 'take-1' };
const UNKNOWN = { taskId: 'nobody', model: POEM.model };

/** Every refusal by name, with what a submit learns from it: status, acceptance, time of the next try. */
const REFUSALS: [FaultName, number, 'no' | 'unclear', number | null][] = [
  ['refuse-400', 400, 'no', null],
  ['refuse-401', 401, 'no', null],
  ['refuse-402', 402, 'no', null],
  ['refuse-403', 403, 'no', null],
  ['refuse-404', 404, 'no', null],
  ['refuse-409', 409, 'no', null],
  ['refuse-413', 413, 'no', null],
  ['refuse-415', 415, 'no', null],
  ['refuse-422', 422, 'no', null],
  ['refuse-429', 429, 'no', 1000],
  ['refuse-429-date', 429, 'no', 1000],
  ['refuse-500', 500, 'unclear', null],
  ['refuse-503', 503, 'unclear', null],
  ['refuse-503-retry-after', 503, 'no', 1000],
];

/** Every way in which the answer to an accepted submit is lost. */
const LOST_ANSWERS: [FaultName, object][] = [
  ['accept-500', { kind: 'response', status: 500 }],
  ['accept-504', { kind: 'response', status: 504 }],
  ['accept-drop', { kind: 'network', status: null }],
  ['accept-garbage', { kind: 'protocol', status: 200 }],
  ['accept-late', { kind: 'timeout', status: null }],
];

async function executeOrSubmit(client: GatewayClient, mode: 'submit' | 'execute') {
  return await client[mode](POEM, PAID);
}

describe('a fault at a request', () => {
  it.each(REFUSALS)(
    '%s answers %i, accepts nothing, and is over after its count',
    async (kind, status, acceptance, ms) => {
      const server = await sandbox();
      const client = clientOf(server);
      server.faults.inject({ kind, count: 2 });
      const facts = { kind: 'response', status, retryAfterMs: ms };
      expect(await refusalOf(client.submit(POEM, PAID))).toMatchObject({ ...facts, acceptance });
      expect(await refusalOf(client.read(UNKNOWN))).toMatchObject(facts);
      expect(server.tasks()).toEqual([]);
      const { taskId } = await client.submit(POEM, PAID);
      expect(server.tasks()).toMatchObject([{ id: taskId, answerFault: null }]);
      expect(server.faults.struck()).toEqual({ [kind]: 2 });
    },
  );

  it('is limited to submits, including executes, or to reads', async () => {
    const server = await sandbox();
    const client = clientOf(server);
    server.faults.inject({ kind: 'refuse-401', on: 'read' });
    server.faults.inject({ kind: 'refuse-402', on: 'submit' });
    expect(await refusalOf(client.execute(POEM, PAID))).toMatchObject({ status: 402, acceptance: 'no' });
    expect(await refusalOf(client.read(UNKNOWN))).toMatchObject({ status: 401 });
    expect(server.faults.armed()).toEqual([]);
  });

  it('drops a connection, and accepts nothing, which the client cannot know', async () => {
    const server = await sandbox();
    const client = clientOf(server);
    server.faults.inject({ kind: 'drop', count: 2 });
    expect(await refusalOf(client.submit(POEM, PAID))).toMatchObject({ kind: 'network', acceptance: 'unclear' });
    expect(await refusalOf(client.read(UNKNOWN))).toMatchObject({ kind: 'network' });
    expect(server.tasks()).toEqual([]);
  });

  it('answers a page instead of an envelope, and accepts nothing', async () => {
    const server = await sandbox();
    const client = clientOf(server);
    server.faults.inject({ kind: 'garbage', count: 2 });
    expect(await refusalOf(client.submit(POEM, PAID))).toMatchObject({ kind: 'protocol', acceptance: 'unclear' });
    expect(await refusalOf(client.read(UNKNOWN))).toMatchObject({ kind: 'protocol', status: 200 });
    expect(server.tasks()).toEqual([]);
  });

  it('refuses connections for a while, also to those that were kept alive, and serves again at the same port', async () => {
    const server = await sandbox();
    const client = clientOf(server);
    await refusalOf(client.read(UNKNOWN));
    server.faults.inject({ kind: 'closed', seconds: BUSY_MS / 1_000 });
    expect(await refusalOf(client.read(UNKNOWN))).toMatchObject({ status: 404 });
    expect(await refusalOf(client.submit(POEM, PAID))).toMatchObject({
      kind: 'network',
      acceptance: 'no',
      status: null,
    });
    expect(await refusalOf(client.read(UNKNOWN))).toMatchObject({ status: null });
    expect(server.tasks()).toEqual([]);
    await until(async () => (await refusalOf(client.read(UNKNOWN))).status !== null);
    await client.submit(POEM, PAID);
    expect(server.tasks()).toHaveLength(1);
  });

  it('can be closed for good while it refuses connections', async () => {
    const server = await sandbox();
    server.faults.inject({ kind: 'closed', seconds: 0.2 });
    await refusalOf(clientOf(server).read(UNKNOWN));
    await closeNow(server);
    await delay(400);
    await expect(fetch(`${server.url}/sandbox/health`)).rejects.toThrow();
  });

  it('shifts the clock in every answer', async () => {
    const server = await sandbox();
    server.faults.inject({ kind: 'clock-off', seconds: -3600 });
    const { headers } = await request(`${server.url}/workflows/v1/models/x/result`);
    expect((Date.parse(headers.get('date')!) - Date.now()) / 60_000).toBeCloseTo(-60, 0);
  });

  it('shifts a Retry-After date with the clock, so that the wait stays the same', async () => {
    const server = await sandbox();
    server.faults.inject({ kind: 'clock-off', share: 1 });
    server.faults.inject({ kind: 'refuse-429-date', seconds: 7 });
    const { headers, status } = await request(`${server.url}/workflows/v1/models/x/result`);
    expect(status).toBe(429);
    const [date, until] = [Date.parse(headers.get('date')!), Date.parse(headers.get('retry-after')!)];
    expect((date - Date.now()) / 60_000).toBeCloseTo(10, 0);
    expect(until - date).toBe(7000);

    server.faults.inject({ kind: 'refuse-429-date', seconds: 7 });
    expect(await refusalOf(clientOf(server).read(UNKNOWN))).toMatchObject({ retryAfterMs: 7000 });
    const { taskId } = await clientOf(server).submit(POEM, PAID);
    expect(server.tasks()).toMatchObject([{ id: taskId }]);
  });
});

describe('a fault at an acceptance', () => {
  it.each(LOST_ANSWERS)('%s leaves a submit and an execute unclear, and the accountant knows', async (kind, facts) => {
    const server = await sandbox();
    const client = clientOf(server, kind === 'accept-late' ? { paidTotalMs: BUSY_MS } : {});
    server.faults.inject({ kind, count: 2 });
    for (const mode of ['submit', 'execute'] as const) {
      expect(await refusalOf(executeOrSubmit(client, mode))).toMatchObject({ ...facts, acceptance: 'unclear' });
    }
    const lost = { model: 'quill-text-1', credits: 1, idempotencyKey: 'take-1', answerFault: kind };
    expect(server.tasks()).toMatchObject([
      { ...lost, mode: 'submit' },
      { ...lost, mode: 'execute' },
    ]);
    await client.submit(POEM, PAID);
    expect(server.tasks()).toHaveLength(3);
  });

  it('never leaks the id of the task whose answer it takes', async () => {
    const server = await sandbox();
    for (const kind of ['accept-500', 'accept-504', 'accept-garbage'] as const) {
      server.faults.inject({ kind });
      const { body } = await refusalOf(clientOf(server).submit(POEM, PAID));
      expect(body).not.toContain(server.tasks().at(-1)!.id);
    }
  });

  it('gives two submits one id, while the accountant has two tasks and two charges', async () => {
    const server = await sandbox();
    const client = clientOf(server);
    server.faults.inject({ kind: 'accept-same-id' });
    const one = await client.submit(POEM, PAID);
    const other = await client.submit(POEM, { idempotencyKey: 'take-2' });
    expect(other).toEqual(one);
    const [first, second] = server.tasks();
    expect(first).toMatchObject({ id: one.taskId, credits: 1, answerFault: null });
    expect(second).toMatchObject({ credits: 1, idempotencyKey: 'take-2', answerFault: 'accept-same-id' });
    expect(second!.id).not.toBe(one.taskId);
  });
});

it('leaves no fault at a request or an acceptance untested', () => {
  const tested = [...REFUSALS, ...LOST_ANSWERS].map(([name]) => name);
  const others = ['slow', 'clock-off', 'closed', 'drop', 'garbage', 'accept-same-id'];
  const known = Object.entries(FAULTS).filter(([, { at }]) => at === 'request' || at === 'acceptance');
  expect([...tested, ...others].sort()).toEqual(known.map(([name]) => name).sort());
});
