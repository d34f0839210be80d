import { setTimeout as delay } from 'node:timers/promises';
import type { GatewayClient, TaskReading } from '../../gateway';
import { FAULTS, type FaultName, type Sandbox } from '../../sandbox';
import { temporaryFolder } from '../support/temporary-folder';
import { BUSY_MS, clientOf, closeNow, finish, IMAGE, POEM, refusalOf, sandbox } from './rig';

const PAID = { idempotencyKey: 'take-1' };
const PICTURE = { model: { id: IMAGE.model }, parameters: IMAGE.params };

const read = (client: GatewayClient, taskId: string) => client.read({ taskId, model: POEM.model });

async function end(client: GatewayClient, taskId: string): Promise<TaskReading> {
  for (;;) {
    const reading = await read(client, taskId);
    if (reading.state !== 'pending') return reading;
    await delay(10);
  }
}

async function completedPicture(server: Sandbox, client: GatewayClient): Promise<string> {
  const { taskId } = await client.submit(PICTURE, PAID);
  await finish(server, taskId);
  return taskId;
}

async function statusOfFile(reading: TaskReading): Promise<number> {
  if (reading.state !== 'completed' || reading.result.url === null) throw new Error('There is no address');
  const response = await fetch(reading.result.url);
  await response.arrayBuffer();
  return response.status;
}

describe('a fault of a task', () => {
  it.each([
    ['task-fails', 'internal_error'],
    ['task-content-policy', 'content_policy'],
  ] as const)('%s ends it FAILED with code %s, charged', async (kind, code) => {
    const server = await sandbox();
    const client = clientOf(server);
    server.faults.inject({ kind });
    const { taskId } = await client.submit(POEM, PAID);
    expect(await end(client, taskId)).toMatchObject({ state: 'failed', code, credits: 1 });
    expect(server.tasks()).toMatchObject([{ id: taskId, state: 'FAILED', credits: 1, error: { code } }]);
    expect(await end(client, (await client.submit(POEM, PAID)).taskId)).toMatchObject({ state: 'completed' });
  });

  it('keeps it from ever ending, even over a restart, while others end', async () => {
    const folder = await temporaryFolder();
    const first = await sandbox({ folder, executeLimitMs: 50 });
    first.faults.inject({ kind: 'task-never-ends', count: 2 });
    const { taskId } = await clientOf(first).submit(POEM, PAID);
    expect(await refusalOf(clientOf(first).execute(POEM, PAID))).toMatchObject({ status: 504, acceptance: 'unclear' });
    await closeNow(first);

    const second = await sandbox({ folder });
    const client = clientOf(second);
    expect(await end(client, (await client.submit(POEM, PAID)).taskId)).toMatchObject({ state: 'completed' });
    expect(await read(client, taskId)).toMatchObject({ state: 'pending', status: 'IN_PROGRESS' });
    expect(second.tasks()).toMatchObject([
      { id: taskId, state: 'IN_PROGRESS', credits: 1, fate: 'never-ends' },
      { mode: 'execute', state: 'IN_PROGRESS', credits: 1 },
      { state: 'COMPLETED' },
    ]);
  });
});

describe('a fault at a read', () => {
  it('answers with another task, which the client notices by its id', async () => {
    const server = await sandbox();
    const client = clientOf(server);
    const mine = (await client.submit(POEM, PAID)).taskId;
    server.faults.inject({ kind: 'read-other-task' });
    expect(await refusalOf(read(client, mine))).toMatchObject({ kind: 'protocol', status: 200 });

    const other = await completedPicture(server, client);
    await end(client, mine);
    server.faults.inject({ kind: 'read-other-task' });
    const answer = await fetch(`${server.url}/workflows/v1/models/${mine}/result`, {
      headers: { authorization: 'Bearer a-key' },
    });
    expect(await answer.json()).toMatchObject({ response: { id: other, status: 'COMPLETED', result: {} } });
    expect(await read(client, mine)).toMatchObject({ state: 'completed' });
  });

  it("does not count another task's answer as reported to the task's own caller", async () => {
    const server = await sandbox();
    const client = clientOf(server);
    server.faults.inject({ kind: 'task-never-ends' });
    const { taskId } = await client.submit(POEM, PAID);
    await completedPicture(server, client);
    server.faults.inject({ kind: 'read-other-task' });
    server.faults.inject({ kind: 'read-404' });
    await refusalOf(read(client, taskId));
    expect(await read(client, taskId)).toMatchObject({ state: 'pending' });
    expect(server.faults.struck()).toEqual({ 'task-never-ends': 1, 'read-other-task': 1 });
  });

  it('goes one state back for each strike, but never from the first', async () => {
    const server = await sandbox();
    const client = clientOf(server);
    const taskId = await completedPicture(server, client);
    server.faults.inject({ kind: 'read-backwards', count: 3 });
    const told: unknown[] = [];
    for (let reads = 0; reads < 5; reads += 1) {
      const reading = await read(client, taskId);
      told.push(reading.state === 'pending' ? reading.status : reading.state);
    }
    expect(told).toEqual(['IN_PROGRESS', 'ACCEPTED', 'completed', 'IN_PROGRESS', 'completed']);
    expect(server.tasks()).toMatchObject([{ id: taskId, state: 'COMPLETED' }]);
  });

  it('says COMPLETED without an address, and waits for a task that has one', async () => {
    const server = await sandbox();
    const client = clientOf(server);
    server.faults.inject({ kind: 'read-no-address' });
    await end(client, (await client.submit(POEM, PAID)).taskId);
    const { taskId } = await client.submit(PICTURE, PAID);
    const nowhere = { state: 'completed', result: { url: null, files: [], lastFrameUrl: null } };
    expect(await end(client, taskId)).toMatchObject({ ...nowhere, credits: 3 });
    expect(await statusOfFile(await read(client, taskId))).toBe(200);
  });

  it('forgets a task, but only one that was reported as COMPLETED', async () => {
    const server = await sandbox();
    const client = clientOf(server);
    server.faults.inject({ kind: 'read-404' });
    const { taskId } = await client.submit(POEM, PAID);
    expect(await end(client, taskId)).toMatchObject({ state: 'completed' });
    expect(await refusalOf(read(client, taskId))).toMatchObject({ kind: 'response', status: 404 });
    expect(server.tasks()).toMatchObject([{ id: taskId, state: 'COMPLETED', credits: 1 }]);
    expect(await read(client, taskId)).toMatchObject({ state: 'completed' });
  });

  it('lets addresses expire until the result is read again', async () => {
    const server = await sandbox();
    const client = clientOf(server);
    const taskId = await completedPicture(server, client);
    server.faults.inject({ kind: 'read-expiring', seconds: 0 });
    const first = await read(client, taskId);
    expect([await statusOfFile(first), await statusOfFile(first)]).toEqual([403, 403]);
    expect(await statusOfFile(await read(client, taskId))).toBe(200);

    server.faults.inject({ kind: 'read-expiring', seconds: BUSY_MS / 1_000 });
    const second = await read(client, taskId);
    expect(await statusOfFile(second)).toBe(200);
    while ((await statusOfFile(second)) === 200) await delay(20);
    expect(await statusOfFile(second)).toBe(403);
  });
});

it('leaves no fault of a task or at a read untested', () => {
  const tested: FaultName[] = [
    'task-fails',
    'task-content-policy',
    'task-never-ends',
    'read-other-task',
    'read-backwards',
    'read-no-address',
    'read-404',
    'read-expiring',
  ];
  const known = Object.entries(FAULTS).filter(([, { at }]) => at === 'task' || at === 'read');
  expect(tested.sort()).toEqual(known.map(([name]) => name).sort());
});
