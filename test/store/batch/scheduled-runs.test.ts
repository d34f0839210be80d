import { join } from 'node:path';
import { openStore, type ScheduledRun, type FolderStore } from '../../../store';
import { readBackup, writeBackup } from '../../../store/backup/backup';
import { temporaryFolder } from '../../support/temporary-folder';
import { recordsOf } from '../../support/store-records';

const ASSET = {
  sha256: 'a'.repeat(64),
  sizeBytes: 1,
  mediaType: 'x',
  durationSeconds: null,
  width: null,
  height: null,
};

let store: FolderStore;

beforeEach(async () => {
  store = await openStore(join(await temporaryFolder(), 'store'));
});

describe('the number of a run', () => {
  it('is the next free one, and belongs to one run, however many start at once', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `night-${index}`);
    const numbers = await Promise.all(ids.map((id) => store.runs.number('night', id)));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(ids.map((_id, index) => index + 1));
  });

  it('is the same for all processes that start the same run at once', async () => {
    const begun = await Promise.all(
      ['a', 'b', 'a', 'c', 'a', 'b'].map(async (id) => [id, await store.runs.number('night', id)] as const),
    );
    expect(new Set(begun.map(([id, number]) => `${id} ${number}`)).size).toBe(3);
    expect(new Set(begun.map(([, number]) => number))).toEqual(new Set([1, 2, 3]));
  });

  it('is found again after a crash before the run was recorded, even if later runs were', async () => {
    expect(await store.runs.number('night', 'first')).toBe(1);
    for (const id of ['second', 'third']) await store.runs.record(await run(id));
    expect(await store.runs.number('night', 'first')).toBe(1);
    expect(await store.runs.number('night', 'fourth')).toBe(4);
  });
});

describe('a run', () => {
  it('is in a backup of the ledger, so that a restored store does not number its time again', async () => {
    await store.runs.record(await run('one'));
    const file = join(store.folder, 'backup.jsonl');
    await writeBackup(store.folder, file);
    const keys: string[] = [];
    await readBackup(file, ({ key }) => void keys.push(key));
    expect(keys).toEqual(expect.arrayContaining(['schedules/night/runs/one', 'schedules/night/numbers/number-1']));
  });

  it('is what was recorded first', async () => {
    const first = await run('one');
    expect(await store.runs.claim('night', 'one')).toBe(true);
    expect(await store.runs.record(first)).toEqual(first);
    expect(await store.runs.record({ ...first, production: { ...ASSET, sha256: 'b'.repeat(64) } })).toEqual(first);
    expect(await store.runs.byId('one')).toEqual(first);
  });

  it('takes no id of another production or schedule', async () => {
    await recordsOf(store).replace('productions/film/source', { path: '/film.yaml', account: 'a', at: '' });
    expect(await store.runs.claim('night', 'film')).toBe(false);
    expect(await store.runs.claim('night', 'one')).toBe(true);
    expect(await store.runs.claim('night', 'one')).toBe(true);
    expect(await store.runs.claim('day', 'one')).toBe(false);
  });
});

async function run(productionId: string): Promise<Extract<ScheduledRun, { kind: 'production' }>> {
  return {
    kind: 'production',
    schedule: 'night',
    productionId,
    scheduledAt: '2026-11-22T02:00:00.000Z',
    by: 'schedule',
    number: await store.runs.number('night', productionId),
    account: 'account',
    template: ASSET,
    production: ASSET,
    plan: ASSET,
    at: '2026-11-22T02:00:00.000Z',
  };
}
