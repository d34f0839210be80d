import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { audit } from '../../client/books';
import { type TakeHistory } from '../../store';
import { writeBackup } from '../../store/backup/backup';
import { restoreBackup } from '../../store/backup/restore';
import { intent } from '../support/ledger-fixtures';
import { film, pictureShot, type Rig, startRig } from '../support/rig';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';

/** Long enough that no task has ended when its ledger is lost. */
const TASK_SECONDS = 6;

describe('a ledger that was restored while Temporal runs workflows', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({ renderSeconds: TASK_SECONDS }, { inProcess: false });
  });

  afterAll(async () => {
    await rig.close();
  });

  const takeOf = (productionId: string, take = 1): Promise<TakeHistory | undefined> =>
    rig.store.ledger.take({ productionId, shotId: 'dawn', take });

  /** The machine with the workers fails, and the ledger with it. */
  async function loseLedger(worker: Awaited<ReturnType<Rig['startWorker']>>, backup: string): Promise<void> {
    worker.stop();
    await worker.ended;
    for (const root of ['ledger', 'tasks']) await rm(join(rig.store.folder, root), { recursive: true });
    await restoreBackup(rig.store.folder, backup, { nothingSentSince: false });
  }

  it('gets back what they paid for, and gives it to no other take', async () => {
    const backup = join(await temporaryFolder(), 'backup');
    await writeBackup(rig.store.folder, backup);
    const worker = await rig.startWorker();
    for (const id of ['lost', 'taken']) await rig.start(film(id, [pictureShot('dawn')]), { assemble: false });
    const before = new Map<string, TakeHistory>();
    for (const id of ['lost', 'taken']) {
      const accepted = await until(async () => {
        const history = await takeOf(id);
        return history?.sendings[0]?.accepted === undefined ? undefined : history;
      });
      expect(accepted.settled).toBeUndefined();
      before.set(id, accepted);
    }
    await loseLedger(worker, backup);
    const another = intent({ account: 'sandbox' });
    await rig.store.ledger.intend({ productionId: 'taken', shotId: 'dawn', take: 1 }, another);
    await rig.startWorker();

    expect(await rig.client.ended('lost')).toMatchObject({ state: 'completed' });
    expect(await rig.client.ended('taken')).toMatchObject({ state: 'completed' });
    expect(rig.sandbox.tasks()).toHaveLength(2);
    const { takeKey, askKey, parameters } = before.get('lost')!.intent;
    expect(await takeOf('lost')).toMatchObject({
      intent: { takeKey, askKey, parameters },
      settled: { state: 'completed' },
      output: {},
    });
    const untouched = await takeOf('taken');
    expect(untouched).toEqual({ take: 1, intent: another, sendings: [], decisions: [] });
    expect(await takeOf('taken', 2)).toMatchObject({
      intent: { takeKey: before.get('taken')!.intent.takeKey },
      settled: { state: 'completed' },
    });

    const common = { store: rig.store, account: 'sandbox', temporal: rig.temporal.client };
    expect((await audit({ ...common, production: 'lost' }))?.differences).toEqual([]);
    await rig.render(film('lost', [pictureShot('dawn')]), { assemble: false });
    expect(rig.sandbox.tasks()).toHaveLength(2);
  });
});
