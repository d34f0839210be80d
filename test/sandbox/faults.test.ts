import { IMAGE, post, read, request, sandbox, submit, finish } from './rig';
import type { FaultOptions } from '../../sandbox';

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

  it('of one kind stay where they are when another is added', async () => {
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

  it('leave the files and the view of the accountant alone', async () => {
    const server = await sandbox({ faults: { errorShare: 1 } });
    expect(await request(`${server.url}/sandbox/tasks`)).toMatchObject({ status: 200 });
    expect(await request(`${server.url}/sandbox/health`)).toMatchObject({ status: 200 });
  });
});
