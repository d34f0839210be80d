import { type WorkflowHandle } from '@temporalio/client';
import { GENERATIONS, generateWorkflowId } from '../../contracts/identifiers';
import { workflowQueue } from '../../contracts/task-queues';
import { WORKFLOWS } from '../../contracts/workflow-signatures';
import { singleTaskInput } from '../../client/dailies/single-task';
import { startWorkflow } from '../../client/temporal/start-workflow';
import { accountHash } from '../../store';
import { pictureShot, planOf, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

const NAME = 'own';

describe('a worker with its own name', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({ renderSeconds: 20 }, { inProcess: false });
  });
  afterAll(() => rig.close());

  it('warns if it runs alone, since the arbiter of the account runs on the common workers', async () => {
    const told: string[] = [];
    const onNotice = (line: string): unknown => told.push(line);
    await rig.startWorker({}, { name: NAME, onNotice });
    expect(told.some((line) => line.includes('no Dailies worker without a name serves this account'))).toBe(true);

    await rig.startWorker();
    await until(() => rig.client.hasWorker());
    told.length = 0;
    await rig.startWorker({}, { name: 'another', onNotice });
    expect(told).toEqual([]);
  });

  it('refuses an activity with a name that Dailies uses itself', async () => {
    const ownActivities = { writePage: () => undefined, decide: () => undefined };
    await expect(rig.startWorker({}, { name: NAME, ownActivities })).rejects.toThrow(
      'ownActivities has decide, which Dailies has itself; give them other names',
    );
  });

  it('gives back the turn of a task that is cancelled while it waits', async () => {
    await rig.store.account('sandbox').limits.change(() => ({ account: { inFlight: 1 }, models: {} }));
    const first = await begin('first');
    await until(() => rig.sandbox.tasks().length === 1);
    const second = await begin('second');
    const waiting = async (): Promise<readonly string[] | undefined> =>
      (await rig.client.arbiter.view())?.waiting.map(({ shot }) => shot);
    await until(async () => (await waiting())?.includes('second'));
    await second.cancel();
    expect(await second.result()).toMatchObject({ state: 'cancelled' });
    expect(await waiting()).toEqual([]);
    await first.terminate();
  });

  /** A task on the queues of that worker, as a user's own workflow starts it. */
  async function begin(id: string): Promise<WorkflowHandle> {
    const production = { version: 1 as const, id: GENERATIONS, title: id, shots: [pictureShot(id)] };
    const [shot] = planOf(production).shots;
    const request = { generationId: id, production: await rig.store.putJson(production), shot: shot!, mode: 'submit' };
    return startWorkflow(rig.temporal.client, WORKFLOWS.generate, {
      taskQueue: workflowQueue({ account: accountHash('sandbox'), storeId: rig.store.id }, NAME),
      workflowId: generateWorkflowId(rig.store.id, id),
      args: [singleTaskInput({ ...request, mode: 'submit' }, false)],
    });
  }
});
