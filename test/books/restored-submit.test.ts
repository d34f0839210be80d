import { join } from 'node:path';
import { createActivities } from '../../activities';
import { type TaskInput } from '../../contracts/activities';
import { openStore, type FolderStore } from '../../store';
import { writeBackup } from '../../store/backup/backup';
import { clearRestored, restoreBackup } from '../../store/backup/restore';
import { type ActivityBench, oneShotFilm, startBench } from '../support/activity-bench';
import { acceptAll, type ScriptedGateway, startScriptedGateway } from '../support/scripted-gateway';
import { temporaryFolder } from '../support/temporary-folder';

describe('a submit after the ledger was restored', () => {
  let gateway: ScriptedGateway;
  /** The store that is lost after its backup. */
  let lost: ActivityBench;
  /** Works on the store that comes back. */
  let bench: ActivityBench;
  let file: string;

  beforeEach(async () => {
    gateway = await startScriptedGateway(acceptAll());
    lost = await startBench(gateway.url, 'key', oneShotFilm());
    file = join(await temporaryFolder(), 'backup');
  });

  afterEach(async () => {
    await lost.close();
    await gateway.close();
  });

  /** The same gateway and film, and activities that work on the restored store. */
  async function benchOn(store: FolderStore): Promise<ActivityBench> {
    const production = await store.putJson(oneShotFilm());
    return {
      ...lost,
      store,
      production,
      input: { ...lost.input, production },
      activities: (account = 'account') =>
        createActivities({
          gateway: lost.gateway,
          store,
          account,
          fileValuePolicy: { fileValues: 'auto', dataUriMaxBytes: 1_000_000 },
          downloadPolicy: { allowedPrivateHosts: [], maxBytes: 50_000_000 },
          pollFloorMs: 100,
          heartbeatNow: () => Promise.resolve(),
        }),
    };
  }

  async function restore(): Promise<void> {
    const folder = join(await temporaryFolder(), 'store');
    await restoreBackup(folder, file, { nothingSentSince: false });
    bench = await benchOn(await openStore(folder));
  }

  const submit = (on: ActivityBench, changes: Partial<TaskInput> = {}) =>
    on.run(on.activities().submits.submitTask, { ...on.input, ...changes });

  it('is not sent if the backup is older than the submit; a person adopts its task', async () => {
    await writeBackup(lost.store.folder, file);
    const paid = await submit(lost);
    await restore();
    const outcome = await submit(bench);
    expect(outcome).toMatchObject({ state: 'unclear', reason: expect.stringContaining('backup of') });
    expect(await submit(bench, { renderId: 'render-2' })).toMatchObject({ state: 'unclear' });
    expect(gateway.posts()).toHaveLength(1);
    // The same request has the same key before and after: a gateway that honours it returns the same task.
    expect(outcome.take.takeKey).toBe(paid.take.takeKey);
  });

  it('ignores the resend policy: the backup may not know that it was used up', async () => {
    await writeBackup(lost.store.folder, file);
    await restore();
    const { take, decisions: seen } = await submit(bench);
    const decide = { take, seen, parkedFor: 'unclear', output: null, decision: { kind: 'resubmit' } } as const;
    const decideAs = (by: 'policy' | 'person') => bench.run(bench.activities().decisions.decide, { ...decide, by });
    expect(await decideAs('policy')).toMatchObject({ recorded: false });
    expect(await submit(bench)).toMatchObject({ state: 'unclear' });
    expect(await decideAs('person')).toEqual({ recorded: true });
    expect(await submit(bench)).toMatchObject({ state: 'accepted' });
    expect(gateway.posts()).toHaveLength(1);
  });

  it('is sent once a person has said that nothing was sent', async () => {
    await writeBackup(lost.store.folder, file);
    await restore();
    await submit(bench);
    await clearRestored(bench.store);
    expect(await submit(bench)).toMatchObject({ state: 'accepted' });
  });

  it('is collected if the backup knows that it was accepted', async () => {
    const paid = await submit(lost);
    await writeBackup(lost.store.folder, file);
    await restore();
    expect(await submit(bench)).toEqual(paid);
    expect(gateway.posts()).toHaveLength(1);
  });
});
