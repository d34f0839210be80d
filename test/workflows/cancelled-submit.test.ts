import { Context } from '@temporalio/activity';
import { type FolderStore } from '../../store';
import { betaShot, film, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

/** Whether attempts of a submit are lost once the gateway has accepted the task. */
let isLost = true;

/** A store whose workers never get to report what they have sent. */
function losingAttempts({ ledger, ...store }: FolderStore): FolderStore {
  const take: typeof ledger.take = async (address) => {
    const history = await ledger.take(address);
    const isSubmit = Context.current().info.activityType === 'submitTask';
    if (isLost && isSubmit && history?.sendings.some(({ accepted }) => accepted !== undefined)) {
      throw new Error('the worker is lost');
    }
    return history;
  };
  return { ...store, ledger: { ...ledger, take } };
}

describe('a submit that is cancelled before its end is known', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({}, { through: losingAttempts });
  });

  afterAll(async () => {
    isLost = false;
    await rig.close();
  });

  it('is looked up, and a task that the gateway has accepted is collected', async () => {
    await rig.start(film('lost', [betaShot('dawn')]));
    const take = { productionId: 'lost', shotId: 'dawn', take: 1 };
    await until(async () => (await rig.store.ledger.take(take))?.sendings[0]?.accepted);
    await rig.client.cancel('lost');
    const { state, shots } = await rig.client.ended('lost');
    expect({ state, shots: shots.map((shot) => shot.state) }).toEqual({ state: 'cancelled', shots: ['completed'] });
    expect(await rig.store.ledger.take(take)).toMatchObject({ settled: { state: 'completed' }, output: {} });
    expect(rig.sandbox.tasks()).toHaveLength(1);
  });

  it('sends nothing if nothing was sent before', async () => {
    rig.sandbox.faults.inject({ kind: 'refuse-503-retry-after', share: 1, on: 'submit', seconds: 60 });
    await rig.start(film('unsent', [betaShot('dawn')]));
    const take = { productionId: 'unsent', shotId: 'dawn', take: 1 };
    await until(async () => (await rig.store.ledger.take(take))?.sendings[0]?.refused);
    rig.sandbox.faults.clear();
    await rig.client.cancel('unsent');
    expect((await rig.client.ended('unsent')).shots).toMatchObject([{ state: 'cancelled' }]);
    expect(rig.sandbox.tasks()).toHaveLength(1);
  });
});
