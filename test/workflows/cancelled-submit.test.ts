import { Context } from '@temporalio/activity';
import { temporal } from '@temporalio/proto';
import { shotWorkflowId } from '../../contracts/identifiers';
import { type FolderStore } from '../../store';
import { betaShot, film, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

const CANCEL_REQUESTED = temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED;

/** Whether attempts of a submit are lost once the gateway has accepted the task. */
let isLost = true;

/** Called when an attempt has recorded its right to send. */
const nothing = (): Promise<void> => Promise.resolve();
let onBegun = nothing;

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
  const beginSending: typeof ledger.beginSending = async (...sending) => {
    const isOurs = await ledger.beginSending(...sending);
    await onBegun();
    return isOurs;
  };
  return { ...store, ledger: { ...ledger, take, beginSending } };
}

describe('a submit that is cancelled before its end is known', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({}, { through: losingAttempts });
  });

  afterEach(() => {
    onBegun = nothing;
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

  it('is not sent if it was cancelled in the moment before: Temporal does not confirm its attempt', async () => {
    const shot = rig.temporal.client.workflow.getHandle(shotWorkflowId(rig.store.id, 'late', 'dawn'));
    onBegun = async () => {
      await rig.client.cancel('late');
      await until(async () => {
        const [submit] = (await shot.describe()).raw.pendingActivities ?? [];
        return submit?.state === CANCEL_REQUESTED || undefined;
      });
    };
    await rig.start(film('late', [betaShot('dawn')]));
    expect((await rig.client.ended('late')).shots).toMatchObject([{ state: 'cancelled' }]);
    const [sending] = (await rig.store.ledger.take({ productionId: 'late', shotId: 'dawn', take: 1 }))!.sendings;
    expect(sending?.refused?.reason).toContain('could not be checked whether it may be sent');
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
