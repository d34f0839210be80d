import { betaShot, film, linkedShot, planOf, type Rig, RIG_KEY, startRig } from '../../support/rig';
import { similarity } from '../../support/similarity';
import { until } from '../../support/until';

describe('production', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });

  afterAll(async () => {
    await rig.close();
  });

  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  const accepted = (): number => rig.sandbox.tasks().length;

  /** No task reports its end until the faults are cleared. */
  function hearNoEnd(): void {
    rig.sandbox.faults.inject({ kind: 'refuse-503', on: 'read', share: 1 });
  }

  it('renders a chain of connected shots, and buys nothing when it is rendered again', async () => {
    const chain = film('chain', [betaShot('one'), linkedShot('two', 'one')]);
    const status = await rig.render(chain);
    expect(status).toMatchObject({ state: 'completed', assembly: 'completed', reason: null });
    const [one, two] = status.shots.map(({ takes }) => takes.at(-1));
    expect(one).toMatchObject({ state: 'completed', credits: expect.any(Number), lastFrame: { source: 'gateway' } });
    expect(await similarity(rig.store, one!.lastFrame!.asset, two!.firstFrame!)).toBeGreaterThanOrEqual(0.98);
    expect(accepted()).toBe(2);

    const again = await rig.render(chain);
    expect(again).toMatchObject({ state: 'completed', film: status.film });
    expect(accepted()).toBe(2);
  });

  it('lets a failed shot block only what starts on its frames, and pays for it again only in the next render', async () => {
    const broken = {
      parameters: { duration: 4, resolution: '480p', prompt: '' },
      model: { id: 'no-such-model', output: 'video' as const },
    };
    const shots = [
      betaShot('bad', broken),
      linkedShot('after-bad', 'bad'),
      linkedShot('last', 'after-bad'),
      betaShot('good'),
    ];
    const status = await rig.render(film('partly', shots));
    expect(status).toMatchObject({ state: 'incomplete', film: null });
    expect(Object.fromEntries(status.shots.map(({ id, state }) => [id, state]))).toEqual({
      bad: 'failed',
      'after-bad': 'blocked',
      last: 'blocked',
      good: 'completed',
    });
    expect(status.shots[0]?.reason).toContain('400');
    expect(status.shots[2]?.reason).toContain('after-bad');

    const before = accepted();
    const again = await rig.render(film('partly', shots));
    expect(again.shots[0]?.takes.map(({ take, state }) => [take, state])).toEqual([[2, 'failed']]);
    expect(accepted()).toBe(before);
  });

  it('drains when it is cancelled: what is paid for is collected, nothing more is bought', async () => {
    const before = accepted();
    const drained = film('drained', [betaShot('first'), linkedShot('second', 'first'), betaShot('third')]);
    hearNoEnd();
    await rig.start(drained, { maxInFlight: 1 });
    await until(() => accepted() > before);
    await rig.client.cancel('drained');
    rig.sandbox.faults.clear();
    const status = await rig.client.ended('drained');
    expect(status).toMatchObject({ state: 'cancelled', film: null });
    expect(status.shots.map(({ state }) => state)).toEqual(['completed', 'cancelled', 'cancelled']);
    expect(accepted()).toBe(before + 1);

    expect(await rig.render(drained)).toMatchObject({ state: 'completed' });
    expect(accepted()).toBe(before + 3);
  });

  it('joins the production that runs, and refuses another version of its file', async () => {
    const one = film('joined', [betaShot('only')]);
    const before = accepted();
    hearNoEnd();
    await rig.start(one);
    const production = await rig.store.putJson(one);
    const plan = planOf(one);
    expect(await rig.client.render({ productionId: 'joined', production, plan })).toEqual({ attached: true });
    const changed = await rig.store.putJson({ ...one, title: 'changed' });
    await expect(rig.client.render({ productionId: 'joined', production: changed, plan })).rejects.toThrow(
      'dailies cancel joined',
    );
    rig.sandbox.faults.clear();
    expect(await rig.client.ended('joined')).toMatchObject({ state: 'completed' });
    expect(accepted()).toBe(before + 1);
  });

  it('refuses to cancel a production that does not run', async () => {
    await expect(rig.client.cancel('nobody')).rejects.toThrow('no production "nobody"');
    await expect(rig.client.cancel('joined')).rejects.toThrow('not running');
  });

  it('can be found by production, model and state of its shots', async () => {
    const found = await until(async () => {
      const ids: string[] = [];
      const query = 'DailiesProduction = "chain" AND DailiesShotState = "completed" AND DailiesModel = "beta-2.5"';
      for await (const { workflowId } of rig.temporal.client.workflow.list({ query })) ids.push(workflowId);
      return ids.length >= 2 ? ids : undefined;
    });
    expect(found.every((id) => id.startsWith(`shot/${rig.store.id}/chain/`))).toBe(true);
  });

  it('is still known after Temporal has deleted its history', async () => {
    const ended = await rig.client.status('chain');
    await rig.temporal.connection.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: `production/${rig.store.id}/chain` },
    });
    await until(async () => {
      const handle = rig.temporal.client.workflow.getHandle(`production/${rig.store.id}/chain`);
      return (await handle.describe().catch(() => undefined)) === undefined ? true : undefined;
    });
    expect(await rig.client.status('chain')).toEqual(ended);
  });

  it('keeps key, prompts and addresses out of every history', async () => {
    const events: string[] = [];
    for await (const { workflowId, runId } of rig.temporal.client.workflow.list()) {
      const history = await rig.temporal.client.workflow.getHandle(workflowId, runId).fetchHistory();
      events.push(...(history.events ?? []).map((event) => JSON.stringify(event, asText)));
    }
    const readable = events.join('\n');
    // The search sees the content of payloads.
    expect(readable).toContain('deadlineSeconds');
    for (const secret of [RIG_KEY, 'the lighthouse', rig.sandbox.url]) expect(readable).not.toContain(secret);
  });
});

/** A history's JSON has payloads in base64; they are decoded here. */
function asText(name: string, value: unknown): unknown {
  return name === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value;
}
