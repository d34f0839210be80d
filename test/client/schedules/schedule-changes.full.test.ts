import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDailiesClient, type DailiesClient } from '../../../client';
import { checkTemplate } from '../../../client/schedules';
import { type Rig, startRig } from '../../support/rig';
import { runsOf, template, untilEnded } from '../../support/scheduled';
import { temporaryFolder } from '../../support/temporary-folder';

const SELDOM = { every: '30d' } as const;
const TIME = '2020-01-09T00:00:00Z';
const POLICY = { fileValues: 'auto', dataUriMaxBytes: 1_000 } as const;

/** A batch file whose rows are in a separate table. */
const BATCH = `
models: { quill-text-1: { output: text, quick: false } }
generation: { key: "{{name}}", model: quill-text-1, prompt: "{{name}}" }
rows: rows.csv
`;

describe('a changed schedule', () => {
  let rig: Rig;
  let schedules: DailiesClient['schedules'];

  beforeAll(async () => {
    rig = await startRig();
    ({ schedules } = rig.client);
  });

  afterAll(() => rig.close());

  /** A checked batch file with its table; `closed` says whether the check's temporary files were removed. */
  async function batch() {
    const folder = await temporaryFolder();
    const [file, table] = [join(folder, 'batch.yaml'), join(folder, 'rows.csv')];
    await writeFile(file, BATCH);
    await writeFile(table, 'name\nnorth\n');
    const checked = await checkTemplate('any', file, POLICY);
    if (!('batch' in checked)) throw new Error('it is no batch');
    let closed = false;
    const close = async (): Promise<void> => {
      closed = true;
      await checked.batch.close();
    };
    return { file, table, template: { ...checked, batch: { ...checked.batch, close } }, closed: () => closed };
  }

  it('loses its jitter and catch-up if a person removes them', async () => {
    await schedules.create('daily', {
      cron: '0 2 * * *',
      jitter: '2h',
      catchUp: '3h',
      template: await template(),
    });
    await expect(schedules.update('daily', { every: '1h' })).rejects.toThrow('give less, or none');
    const changed = await schedules.update('daily', { every: '1h', jitter: 'none', catchUp: 'default' });
    expect(changed).toMatchObject({ timing: { jitter: null, catchUp: null }, catchUpSeconds: 3_600 });
    expect(await schedules.update('daily', { jitter: '5m', catchUp: '2h' })).toMatchObject({ catchUpSeconds: 7_200 });
    expect(await schedules.update('daily', { jitter: null, catchUp: null })).toMatchObject({
      timing: { jitter: null },
      catchUpSeconds: 3_600,
    });
  });

  it('leaves no temporary files of a batch, even if it is refused', async () => {
    const taken = await batch();
    await schedules.create('rows', { ...SELDOM, template: taken.template });
    expect(taken.closed()).toBe(true);
    const refusals = [
      (file: Awaited<ReturnType<typeof batch>>) => schedules.create('rows', { ...SELDOM, template: file.template }),
      (file: Awaited<ReturnType<typeof batch>>) => schedules.create('new', { template: file.template }),
      (file: Awaited<ReturnType<typeof batch>>) => schedules.update('rows', { every: '0s', template: file.template }),
      (file: Awaited<ReturnType<typeof batch>>) => schedules.update('nowhere', { template: file.template }),
    ];
    for (const refused of refusals) {
      const file = await batch();
      await expect(refused(file)).rejects.toThrow();
      expect(file.closed()).toBe(true);
    }
  });

  it.each(['file', 'table'] as const)('refuses rows that were checked with another %s', async (which) => {
    const file = await batch();
    await appendFile(file[which], which === 'file' ? '# more\n' : 'south\n');
    const name = `other-${which}`;
    await expect(schedules.create(name, { ...SELDOM, template: file.template })).rejects.toThrow(
      `${file[which]} has changed while it was read`,
    );
    await expect(schedules.show(name)).rejects.toThrow('is known here');
  });

  it('can have its runs rendered again after it is deleted, for the account that pays for them', async () => {
    await schedules.create('gone', { ...SELDOM, template: await template() });
    await schedules.backfill('gone', { from: TIME, to: TIME });
    await untilEnded(rig.store, 'gone', 1);
    await schedules.delete('gone');
    const [run] = await runsOf(rig.store, 'gone');
    await schedules.again('gone', run?.productionId ?? '');
    await rig.client.ended(run?.productionId ?? '');
    expect(await rig.client.status(run?.productionId ?? '')).toMatchObject({ state: 'completed' });
    const other = createDailiesClient({ temporal: rig.temporal.client, store: rig.store, account: 'another' });
    await expect(other.schedules.again('gone', run?.productionId ?? '')).rejects.toThrow('the account sandbox');
    await expect(schedules.again('gone', 'gone-20200110T000000Z')).rejects.toThrow('has no run');
    await expect(schedules.again('../gone', 'x')).rejects.toThrow('has no run');
  });
});
