import { join } from 'node:path';
import { publish } from '../../../client';
import { runsToExport } from '../../../client/schedules';
import { type Rig, startRig } from '../../support/rig';
import { template, untilEnded } from '../../support/scheduled';
import { temporaryFolder } from '../../support/temporary-folder';
import { createOutFolders } from '../../../client/records/out-folders';
import { recordsOf } from '../../support/store-records';

describe('a schedule that fires every two seconds', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });

  afterAll(() => rig.close());

  it('has each run exported once into its folder as it ends', async () => {
    const { store, client } = rig;
    const account = 'sandbox';
    const out = await temporaryFolder();
    const file = await template();
    expect(await client.schedules.create('films', { every: '30d', template: file, out })).toMatchObject({ out });
    expect(await client.schedules.update('films', { note: 'nightly' })).toMatchObject({ out });
    await client.schedules.create('nowhere', { every: '30d', template: await template() });
    await client.schedules.trigger('nowhere');
    const shared = client.schedules.create('others', { every: '30d', template: await template(), out });
    await expect(shared).rejects.toThrow('the runs of schedule "films" are exported to');
    await expect(client.schedules.update('nowhere', { out })).rejects.toThrow('name another folder by --out');
    const id = await client.schedules.trigger('films');
    expect(await client.status(id)).toMatchObject({ production: id });
    // A broken record of another schedule does not block the export.
    await recordsOf(store).create('schedules/broken/version-1', { broken: true });
    await untilEnded(store, 'nowhere', 1);
    await untilEnded(store, 'films', 1);

    const settled = new Set<string>();
    const [run, ...others] = await runsToExport(store, account, settled);
    expect(others).toEqual([]);
    if (run?.kind !== 'production') throw new Error('it is a production');
    expect((await client.schedules.show('films')).runs).toMatchObject([{ production: id, out: null }]);
    const folder = await createOutFolders(store).folderOf(id);
    expect(folder).toBe(join(out, id.slice('films-'.length)));
    await publish({ store, account, status: run.status, folder });
    expect(await runsToExport(store, account, settled)).toEqual([]);
    expect([...settled]).toEqual([id]);
    expect((await client.schedules.show('films')).runs).toMatchObject([{ production: id, out: folder }]);
  });
});
