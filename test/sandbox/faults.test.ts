import { FAULTS, type FaultName, type FaultOptions } from '../../sandbox';
import { clientOf, errorOf, finish, IMAGE, POEM, post, read, refusalOf, request, sandbox, submit } from './rig';

async function statusesOf(faults: FaultOptions, count: number): Promise<number[]> {
  const server = await sandbox({ faults });
  const statuses: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    statuses.push((await post(server, '/workflows/v1/models/submit', { params: IMAGE })).status);
  }
  expect(server.tasks()).toHaveLength(statuses.filter((status) => status === 200).length);
  return statuses;
}

describe('faults', () => {
  it('are the same again for the same seed', async () => {
    const faults = { throttledShare: 0.3, errorShare: 0.3 };
    const one = await statusesOf({ ...faults, seed: 5 }, 20);
    expect(new Set(one)).toEqual(new Set([200, 429, 500]));
    expect(await statusesOf({ ...faults, seed: 5 }, 20)).toEqual(one);
    expect(await statusesOf({ ...faults, seed: 6 }, 20)).not.toEqual(one);
  });

  it('of one kind are unchanged when another kind is added', async () => {
    const throttled = (statuses: number[]) => statuses.map((status) => status === 429);
    const alone = throttled(await statusesOf({ throttledShare: 0.4 }, 15));
    expect(alone).toContain(true);
    expect(throttled(await statusesOf({ throttledShare: 0.4, errorShare: 0.5 }, 15))).toEqual(alone);
  });

  it('throttle with Retry-After, and accept nothing', async () => {
    const server = await sandbox({ faults: { throttledShare: 1 } });
    const answer = await post(server, '/workflows/v1/models/submit', { params: IMAGE });
    expect(answer).toMatchObject({ status: 429, body: { status: 'error', error: { code: 'throttled' } } });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await request(`${server.url}/workflows/v1/models/x/result`)).toMatchObject({ status: 429 });
    expect(server.tasks()).toEqual([]);
  });

  it('fail a share of the tasks', async () => {
    const server = await sandbox({ faults: { failedShare: 0.5 } });
    const ids = await Promise.all(Array.from({ length: 12 }, () => submit(server, 'quill-text-1', { prompt: 'x' })));
    const states = await Promise.all(ids.map(async (id) => (await finish(server, id)).status));
    expect(new Set(states)).toEqual(new Set(['COMPLETED', 'FAILED']));
  });

  it('make answers slow, also those of reads', async () => {
    const quick = await sandbox();
    const slow = await sandbox({ faults: { slowAnswerMs: 400 } });
    const ids = [await submit(slow, IMAGE.model, IMAGE.params), await submit(quick, IMAGE.model, IMAGE.params)];
    const order: string[] = [];
    await Promise.all([
      read(slow, ids[0]!).then(() => order.push('slow')),
      read(quick, ids[1]!).then(() => order.push('quick')),
    ]);
    expect(order).toEqual(['quick', 'slow']);
  });

  it('leave the files and the list of charges alone', async () => {
    const server = await sandbox({ faults: { errorShare: 1 } });
    expect(await request(`${server.url}/sandbox/tasks`)).toMatchObject({ status: 200 });
    expect(await request(`${server.url}/sandbox/health`)).toMatchObject({ status: 200 });
  });

  it('come in any share by name, of every kind at once', async () => {
    const names = Object.keys(FAULTS) as FaultName[];
    const shares = Object.fromEntries(names.map((name) => [name, 0.05]));
    const server = await sandbox({ faults: { shares: { ...shares, 'accept-late': 0, closed: 0, slow: 0 }, seed: 3 } });
    const client = clientOf(server);
    const told: string[] = [];
    for (let sent = 0; sent < 60; sent += 1) {
      await client.submit(POEM, { idempotencyKey: `take-${sent}` }).then(
        ({ taskId }) => told.push(taskId),
        () => undefined,
      );
    }
    const accepted = server.tasks();
    const untold = accepted.filter(({ answerFault }) => answerFault !== null);
    expect(untold.length).toBeGreaterThan(0);
    expect(told).toHaveLength(
      accepted.length - untold.filter(({ answerFault }) => answerFault !== 'accept-same-id').length,
    );
    expect(accepted.map(({ id }) => id)).toEqual(expect.arrayContaining(told));
    const struck = Object.entries(server.faults.struck()).filter(([name]) => name.startsWith('accept-'));
    expect(struck.reduce((sum, [, times]) => sum + times, 0)).toBe(untold.length);
  });

  it('that are not reached stay unused, and are not counted as strikes', async () => {
    const server = await sandbox();
    server.faults.inject({ kind: 'refuse-503' });
    server.faults.inject({ kind: 'refuse-402', count: 2 });
    expect(await refusalOf(clientOf(server).submit(POEM, { idempotencyKey: 'k' }))).toMatchObject({ status: 402 });
    expect(server.faults.armed()).toEqual([
      { kind: 'refuse-402', count: 1 },
      { kind: 'refuse-503', count: 1 },
    ]);
    expect(server.faults.struck()).toEqual({ 'refuse-402': 1 });
  });

  it('no longer strike once they are withdrawn, and leave the others armed', async () => {
    const server = await sandbox();
    const withdraw = server.faults.inject({ kind: 'refuse-402', count: 2 });
    server.faults.inject({ kind: 'refuse-402' });
    withdraw();
    expect(server.faults.armed()).toEqual([{ kind: 'refuse-402', count: 1 }]);
  });

  it('strike no more often than their count under any number of requests at once', async () => {
    const server = await sandbox();
    server.faults.inject({ kind: 'slow', seconds: 0.1, share: 1 });
    server.faults.inject({ kind: 'refuse-402', share: 1, count: 3 });
    const path = '/workflows/v1/models/submit';
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(server, path, { params: IMAGE })));
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(3);
    expect(server.tasks()).toHaveLength(9);
  });
});

describe('the control address', () => {
  it('arms a fault, lists armed faults and strikes, and clears them', async () => {
    const server = await sandbox({ faults: { throttledShare: 1 } });
    const address = `${server.url}/sandbox/faults`;
    expect((await request(address, { method: 'DELETE' })).body).toEqual({ armed: [] });
    const once = { kind: 'refuse-402', count: 1, on: 'submit' };
    expect(await post(server, '/sandbox/faults', once)).toMatchObject({ status: 200, body: { armed: [once] } });
    const answers = [await submitStatus(), await submitStatus()];
    expect(answers).toEqual([402, 200]);
    expect((await request(address)).body).toEqual({ armed: [], struck: { 'refuse-402': 1 } });

    await post(server, '/sandbox/faults', { kind: 'refuse-503', share: 1 });
    expect([await submitStatus(), await submitStatus()]).toEqual([503, 503]);
    await request(address, { method: 'DELETE' });
    expect(await submitStatus()).toBe(200);

    async function submitStatus(): Promise<number> {
      return (await post(server, '/workflows/v1/models/submit', { params: IMAGE })).status;
    }
  });

  it.each([
    [{ kind: 'nonsense' }, 'refuse-402'],
    [{ kind: 'refuse-402', count: 0 }, 'count'],
    [{ kind: 'refuse-402', share: 2 }, 'share'],
    [{ kind: 'refuse-402', seconds: 2 }, 'refuse-402 has no duration'],
    [{ kind: 'file-empty', on: 'read' }, 'file-empty is not a fault of requests'],
    [{ kind: 'refuse-402', times: 3 }, 'times'],
  ])('refuses %j and says why', async (order, words) => {
    const server = await sandbox();
    const answer = await post(server, '/sandbox/faults', order);
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ code: 'invalid_fault', message: expect.stringContaining(words) as string });
    expect(server.faults.armed()).toEqual([]);
  });

  it('works while the gateway misbehaves in every way', async () => {
    const server = await sandbox();
    for (const kind of Object.keys(FAULTS) as FaultName[]) server.faults.inject({ kind });
    const address = `${server.url}/sandbox/faults`;
    expect((await request(address)).body).toMatchObject({ struck: {} });
    expect(await request(`${server.url}/sandbox/tasks`)).toMatchObject({ status: 200, body: { tasks: [] } });
    expect(await request(address, { method: 'DELETE' })).toMatchObject({ status: 200 });
  });
});
