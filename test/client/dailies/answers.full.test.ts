import { ledgerState, type FolderStore } from '../../../store';
import { film, pictureShot, type Rig, startRig } from '../../support/rig';
import { until } from '../../support/until';

/** Longer than an attempt waits for the answer of another one: the worker has stopped when the time is over. */
const ANSWERED_WITHIN_MS = 8_000;

/** The right to send goes to another process, which is never heard of again. */
function lost({ ledger, ...store }: FolderStore): FolderStore {
  const beginSending: typeof ledger.beginSending = async (take, n, sent) => {
    const untilMs = Date.now() + ANSWERED_WITHIN_MS;
    await ledger.beginSending(take, n, { ...sent, by: 'another', until: new Date(untilMs).toISOString() });
    return false;
  };
  return { ...store, ledger: { ...ledger, beginSending } };
}

describe('an answer to an unclear shot', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({}, { inProcess: false, through: lost });
  });
  afterAll(() => rig.close());

  it('is taken from the moment on that the ledger has it as unclear, also if no worker has noted that yet', async () => {
    const take = { productionId: 'film', shotId: 'a', take: 1 };
    const stands = async () => {
      const history = await rig.store.ledger.take(take);
      return history === undefined ? undefined : ledgerState(history);
    };
    const first = await rig.startWorker();
    await rig.start(film('film', [pictureShot('a')]));
    const sending = await until(async () => {
      const now = await stands();
      return now?.is === 'sending' && now;
    });
    first.stop();
    await first.ended;
    await until(() => Date.now() >= sending.untilMs);
    expect(await stands()).toMatchObject({ is: 'sending' });

    const resolved = rig.client.resolve('film', 'a', { kind: 'skip' });
    await Promise.all([rig.startWorker(), expect(resolved).resolves.toEqual({ goesOn: true })]);
    expect(await rig.client.ended('film')).toMatchObject({ shots: [{ state: 'skipped' }] });
  });
});
