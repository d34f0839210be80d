import { productionWorkflowId, shotWorkflowId } from '../../contracts/identifiers';
import { type ProductionStatus } from '../../contracts/status';
import { approveShotUpdate, reviseProductionUpdate } from '../../workflows/messages';
import { basisOf, film, linkedShot, betaShot, planOf, type Rig, startRig } from '../support/rig';
import { stopBetweenSubmits } from '../support/stop-between-submits';
import { until } from '../support/until';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process';

/** A person directs a film while its workers are killed, one after the other. */
describe('takes, a review and a revision under workers that are killed', () => {
  let rig: Rig;
  let worker: WorkerProcess;

  beforeAll(async () => {
    rig = await startRig({ renderSeconds: 4 }, { inProcess: false });
    worker = await startWorkerProcess(rig);
  });

  afterAll(async () => {
    await worker.kill('SIGTERM');
    await rig.close();
  });

  async function killAndStartAnother(): Promise<void> {
    await stopBetweenSubmits((signal) => worker.process.kill(signal), rig.store);
    await worker.kill('SIGKILL');
    worker = await startWorkerProcess(rig);
  }

  const statusWhen = (isSo: (status: ProductionStatus) => boolean): Promise<ProductionStatus> =>
    until(async () => {
      const status = await rig.client.status('directed');
      return status !== undefined && status.fromStore !== true && isSo(status) && status;
    });

  it('keep the first choice and every decision, and pay for every take once', async () => {
    const chain = film('directed', [betaShot('one'), linkedShot('two', 'one')]);
    const rules = { takes: 2, review: { withinSeconds: null, otherwise: 'approve' as const } };
    const plan = planOf(chain);
    const shots = plan.shots.map((shot) => ({ ...shot, ...(shot.id === 'one' ? rules : {}) }));
    await rig.start(chain, { shots });

    await statusWhen((status) => status.shots[0]!.takes.filter(({ taskId }) => taskId !== null).length === 2);
    await killAndStartAnother();
    const inReview = await statusWhen((status) => status.shots[0]?.review?.takesUnderWay === 0);
    const chosen = inReview.shots[0]!.filmTake;

    await killAndStartAnother();
    expect((await statusWhen(() => true)).shots[0]).toMatchObject({ state: 'review', filmTake: chosen });
    const shot = rig.temporal.client.workflow.getHandle(shotWorkflowId(rig.store.id, 'directed', 'one'));
    expect(await shot.executeUpdate(approveShotUpdate, { args: [{ take: null }] })).toBe(chosen);
    await statusWhen((status) => status.shots[1]!.takes[0]?.taskId != null);

    const changed = film('directed', [
      betaShot('one'),
      linkedShot('two', 'one', { parameters: { ...betaShot('two').parameters, prompt: 'later' } }),
    ]);
    const frozen = await rig.store.putJson(changed);
    const revision = {
      productionId: 'directed',
      production: frozen,
      basis: await basisOf(rig.store, frozen, planOf(changed)),
      plan: {
        ...planOf(changed),
        shots: planOf(changed).shots.map((one, index) => ({ ...shots[index]!, digest: one.digest })),
      },
      again: [],
    };
    const production = rig.temporal.client.workflow.getHandle(productionWorkflowId(rig.store.id, 'directed'));
    expect(await production.executeUpdate(reviseProductionUpdate, { args: [revision] })).toEqual(['two']);
    await killAndStartAnother();
    const status = await rig.client.ended('directed');
    expect(status).toMatchObject({ state: 'completed', shots: [{ filmTake: chosen }, { filmTake: 2 }] });

    const again = await rig.render(changed, {
      shots: shots.map((one, index) => ({ ...one, digest: planOf(changed).shots[index]!.digest, directed: true })),
    });
    expect(again.shots.map(({ filmTake }) => filmTake)).toEqual([chosen, 2]);
    expect(again.film).toEqual(status.film);
    const keys = rig.sandbox.tasks().map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys).size).toBe(4);
    expect(keys).toHaveLength(4);
  });
});
