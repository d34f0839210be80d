import { productionWorkflowId } from '../../contracts/identifiers';
import { reviseProductionUpdate } from '../../workflows/messages';
import { basisOf, film, pictureShot, planOf, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

describe('a production that is revised while no worker has it in memory', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({}, { inProcess: false });
  });
  // Replays the history, as a later worker does.
  afterAll(() => rig.close());

  it("replays on every later worker, although the first one gets a shot's last report and the revision at once", async () => {
    const first = await rig.startWorker();
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 1 });
    const before = film('taken-over', [pictureShot('a')]);
    await rig.start(before);
    await until(async () => (await rig.client.status('taken-over'))?.shots[0]?.takes[0]?.state === 'rendering');
    first.stop();
    await first.ended;

    const after = film('taken-over', [pictureShot('a'), pictureShot('b')]);
    const plan = planOf(after);
    const production = await rig.store.putJson(after);
    const basis = await basisOf(rig.store, production, plan);
    const handle = rig.temporal.client.workflow.getHandle(productionWorkflowId(rig.store.id, 'taken-over'));
    const revised = handle.executeUpdate(reviseProductionUpdate, {
      args: [{ productionId: 'taken-over', production, plan, basis, again: [] }],
    });
    await rig.startWorker();
    expect(await revised).toEqual(['b']);
    await until(async () => (await rig.client.status('taken-over'))?.shots[1]?.state === 'completed');
  });
});
