import { Client } from '@temporalio/client';
import { createDailiesClient } from '../../../client';
import { productionWorkflowId } from '../../../contracts/identifiers';
import { liveStatusOf } from '../../support/live-status';
import { betaShot, film, type Rig, startRig } from '../../support/rig';
import { until } from '../../support/until';
import { account, requestFor, startHeld } from '../requests';

describe('the client', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig.close());

  /** A connection that starts no workflow, as if the process died in that moment. */
  function startingThen(error: Error): Client {
    const { connection } = rig.temporal;
    return new Client({ connection, interceptors: { workflow: [{ startWithDetails: () => Promise.reject(error) }] } });
  }

  it('continues a held production once it is rendered, and no other', async () => {
    const { holds } = rig.store;
    await holds.hold('resumed', 'it was interrupted');
    await holds.hold('other', 'it was interrupted');
    await rig.client.render(await requestFor(rig, film('resumed', [betaShot('one')])));
    expect(await rig.client.ended('resumed')).toMatchObject({ state: 'completed' });
    expect(await holds.inForce('other')).toBeDefined();
  });

  it.each([
    ['incomplete', 'TIMED_OUT'],
    ['cancelled', 'TERMINATED'],
  ])('shows a production as %s if its workflow ended as %s', async (state, ending) => {
    const id = `ended-${ending}`;
    const request = await requestFor(rig, film(id, [betaShot('one')]));
    // Held, so that it is still running when it is ended.
    await rig.store.holds.hold(id, 'for the test');
    await startHeld(rig, request, ending === 'TIMED_OUT' ? { workflowExecutionTimeout: '10 seconds' } : {});
    const handle = rig.temporal.client.workflow.getHandle(productionWorkflowId(rig.store.id, id));
    if (ending === 'TERMINATED') {
      await until(async () => (await rig.client.status(id))?.shots[0]?.state === 'rendering');
      await handle.terminate();
    }
    await handle.result().catch(() => undefined);
    expect(await liveStatusOf(rig, id)).toMatchObject({ state, reason: expect.stringContaining(ending) });
  });

  it('knows a production from the store before a worker has started it', async () => {
    const request = await requestFor(rig, film('unserved', [betaShot('one')]));
    const unserved = createDailiesClient({ temporal: rig.temporal.client, store: rig.store, account: 'unserved' });
    await unserved.render(request);
    expect(await unserved.hasWorker()).toBe(false);
    expect(await unserved.status('unserved')).toMatchObject({ state: 'running', shots: [{ state: 'pending' }] });
    await rig.temporal.client.workflow.getHandle(productionWorkflowId(rig.store.id, 'unserved')).terminate();
    expect(await unserved.status('unserved')).toMatchObject({ production: 'unserved' });
  });

  it('records the file together with the render, and records nothing for a refused one', async () => {
    const { productions } = rig.client;
    const pathOf = async () => (await productions.source('filed'))?.path;
    const request = await requestFor(rig, film('filed', [betaShot('one')]));
    const other = await requestFor(rig, film('filed', [betaShot('one', { caption: 'Another one.' })]));
    const dying = createDailiesClient({ temporal: startingThen(new Error('died here')), store: rig.store, account });
    await expect(dying.render({ ...request, path: '/filed.yaml' })).rejects.toThrow('died here');
    expect(await pathOf()).toBe('/filed.yaml');

    await rig.store.holds.hold('filed', 'for the test');
    await startHeld(rig, request);
    await expect(rig.client.render({ ...other, path: '/other.yaml' })).rejects.toThrow('dailies edit filed FILE');
    expect(await pathOf()).not.toBe('/other.yaml');
    await rig.client.render({ ...request, path: '/moved/filed.yaml' });
    expect(await pathOf()).toBe('/moved/filed.yaml');
    await rig.client.direct({ ...other, path: '/other.yaml' }, []);
    expect(await pathOf()).toBe('/other.yaml');
    expect(await rig.client.ended('filed')).toMatchObject({ state: 'completed' });
    await rig.client.render(request);
    expect(await pathOf()).toBe('/other.yaml');
    await rig.client.ended('filed');
  });

  it('keeps the file of the render that won if two start in the same moment', async () => {
    const { productions } = rig.client;
    const first = await requestFor(rig, film('raced', [betaShot('one')]));
    const second = await requestFor(rig, film('raced', [betaShot('one', { caption: 'Another one.' })]));
    const results = await Promise.allSettled([
      rig.client.render({ ...first, path: '/first.yaml' }),
      rig.client.render({ ...second, path: '/second.yaml' }),
    ]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const hasFirstBegun = results[0].status === 'fulfilled';
    const path = hasFirstBegun ? '/first.yaml' : '/second.yaml';
    const { production } = hasFirstBegun ? first : second;
    expect(await productions.begun('raced')).toMatchObject({ path, production });
    await rig.client.ended('raced');
  });
});

describe('the client, while a shot is retried', () => {
  let rig: Rig;
  // Each with an account gate and an arbiter of its own.
  beforeEach(async () => {
    rig = await startRig();
  });
  afterEach(() => rig.close());

  it.each([
    ['down', 'refuse-503-retry-after', /^tries again: .*503/],
    ['throttled', 'refuse-429', /^waits to be sent: the gateway throttled; nothing is sent until /],
  ] as const)('reports with the shot why it does not continue: %s', async (id, kind, words) => {
    rig.sandbox.faults.inject({ kind, count: 100 });
    await rig.start(film(id, [betaShot('one')]));
    const shot = await until(async () => {
      const status = await rig.client.status(id);
      return status?.shots.find(({ reason }) => words.test(reason ?? ''));
    });
    expect(shot).toMatchObject({ id: 'one', state: 'rendering' });
    await rig.client.cancel(id);
    expect(await rig.client.ended(id)).toMatchObject({ state: 'cancelled', shots: [{ reason: null }] });
  });
});
