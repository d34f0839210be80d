import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createProductionRecords } from '../../client';
import { readTiming } from '../../client/schedules';
import { createScheduleRecords } from '../../client/records/schedule-records';
import {
  createAccountLimits,
  createBatches,
  createDirecting,
  createHolds,
  createNotices,
  openStore,
  standing,
  type Store,
} from '../../store';
import { readBackup, writeBackup } from '../../store/backup';
import { restoreBackup } from '../../store/restore';
import { openGap, RestoreUnfinished } from '../../store/restored';
import { temporaryFolder } from '../support/temporary-folder';
import { address, book, newStore } from './store-with-takes';

const HELD = { nothingSentSince: false };
const NOTHING_SENT = { nothingSentSince: true };

describe('a backup of the ledger', () => {
  let store: Store;
  let folder: string;
  let file: string;

  beforeEach(async () => {
    store = await newStore();
    folder = join(await temporaryFolder(), 'restored');
    file = join(await temporaryFolder(), 'ledger.backup');
  });

  async function standsAt(shotId: string, at = folder): Promise<string | undefined> {
    const history = await (await openStore(at)).ledger.take(address(shotId));
    return history && standing(history).is;
  }

  it('restores every record into an empty folder, with the identity of the store', async () => {
    await book(store, address('dawn'), 'settled');
    await book(store, address('noon'), 'accepted');
    await store.records.replace('productions/film/source', { path: '/film.yaml', account: 'sandbox', at: 'now' });
    await writeBackup(store, file);

    const { written, held } = await restoreBackup(folder, file, HELD);
    const restored = await openStore(folder);
    expect(restored.id).toBe(store.id);
    expect({ written, held }).toEqual({ written: 10, held: 0 });
    expect(await restored.ledger.take(address('dawn'))).toEqual(await store.ledger.take(address('dawn')));
    expect(await restored.records.read('productions/film/source')).toMatchObject({ path: '/film.yaml' });
  });

  it("restores people's decisions about shots", async () => {
    const chosen = { takeKey: 'a'.repeat(64), take: 2, by: 'person', approved: true } as const;
    const at = { productionId: 'film', shotId: 'dawn', context: 'c'.repeat(64) };
    await createDirecting(store.records).choose(at, chosen);
    await writeBackup(store, file);
    await restoreBackup(folder, file, HELD);
    expect(await createDirecting((await openStore(folder)).records).choice(at)).toMatchObject(chosen);
  });

  it('restores batches, schedules, limits and notify targets, but nothing that is learned again', async () => {
    const { records } = store;
    const limits = { account: { inFlight: 8 }, models: {} };
    await createAccountLimits(records, 'sandbox').write(limits);
    await createAccountLimits(records, 'sandbox').noteThrottled();
    const target = await createNotices(records).putTarget('https://example.com/hook');
    const index = await store.putJson({ pages: [] });
    const rules = { parallel: 4, stopAfterFailures: null, notify: { target } };
    const begun = { run: 1, renderId: 'r', account: 'sandbox', index, at: 'now', ...rules };
    await createBatches(records).begin('night', begun);
    await createBatches(records).noteResults('night', 1, 1, []);
    const template = { template: index, file: '/film.yaml', source: index, files: [], frozenAt: 'now' };
    const timing = readTiming({ every: '6h' });
    await createScheduleRecords(records).append('six', {
      ...{ account: 'sandbox', timing, frozen: template, at: 'now', deleted: false },
    });
    await writeBackup(store, file);
    await restoreBackup(folder, file, HELD);

    const restored = (await openStore(folder)).records;
    expect(await createAccountLimits(restored, 'sandbox').read()).toMatchObject(limits);
    expect((await createAccountLimits(restored, 'sandbox').inForce())?.force).toMatch(/ none$/);
    expect(await createNotices(restored).target(target)).toBe('https://example.com/hook');
    expect(await createBatches(restored).begun('night')).toEqual(begun);
    expect(await createBatches(restored).results('night', 1, 1)).toEqual([]);
    expect(await createScheduleRecords(restored).last('six')).toMatchObject({ timing, number: 1 });
  });

  it('keeps a truncated record as a sign that something was begun', async () => {
    await book(store, address('dawn'), 'intended');
    await writeFile(join(store.folder, 'ledger/film/dawn/1/sent-1.json'), '{"at": "20');
    await writeBackup(store, file);
    await restoreBackup(folder, file, NOTHING_SENT);
    expect(await standsAt('dawn')).toBe('sending');
  });

  it('leaves no part file, and replaces an older backup at once', async () => {
    await writeBackup(store, file);
    await book(store, address('dawn'), 'settled');
    expect(await writeBackup(store, file)).toBe(6);
    await expect(readBackup(file, () => undefined)).resolves.toMatchObject({ store: store.id });
  });

  it.each([
    ['without its closing line', (lines: string[]) => lines.slice(0, -1)],
    ['cut within a line', (lines: string[]) => [...lines.slice(0, -1), lines.at(-1)!.slice(0, 20)]],
    ['without a record', (lines: string[]) => lines.toSpliced(2, 1)],
    ['with another charge', (lines: string[]) => lines.map((line) => line.replace('"credits":12', '"credits":0'))],
    ['with lines after its end', (lines: string[]) => [...lines, lines[1]!]],
    ['empty', () => []],
    ['something else', () => ['{"hello":"world"}', '{}']],
  ])('is refused %s, and nothing is restored', async (_how, change) => {
    await book(store, address('dawn'), 'settled');
    await writeBackup(store, file);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    await writeFile(file, change(lines).join('\n'));
    await expect(restoreBackup(folder, file, HELD)).rejects.toThrow(/whole backup|altered|no backup/);
    await expect(readFile(join(folder, 'store.json'))).rejects.toThrow('ENOENT');
  });

  it('never changes a record: a different content is reported, and nothing is restored', async () => {
    await book(store, address('dawn'), 'settled');
    await writeBackup(store, file);
    await restoreBackup(folder, file, NOTHING_SENT);
    await rm(join(folder, 'ledger/film/dawn/1/settled.json'));
    await (
      await openStore(folder)
    ).ledger.settle(address('dawn'), {
      taskId: 'another',
      state: 'completed',
      credits: 1,
      reason: null,
      text: null,
      raw: null,
      at: 'now',
    });
    await rm(join(folder, 'ledger/film/dawn/1/intent.json'));
    await expect(restoreBackup(folder, file, HELD)).rejects.toThrow('ledger/film/dawn/1/settled');
    expect(await readdir(join(folder, 'ledger/film/dawn/1'))).not.toContain('intent.json');
  });

  it('is refused by a store of another identity', async () => {
    await writeBackup(store, file);
    await expect(restoreBackup((await newStore()).folder, file, HELD)).rejects.toThrow('DAILIES_STORE');
  });

  it('completes an older store of the same identity, and leaves records that normal work replaces', async () => {
    await book(store, address('dawn'), 'accepted');
    await store.records.replace('productions/film/render', { renderId: 'old' });
    await writeBackup(store, file);
    await restoreBackup(folder, file, NOTHING_SENT);
    await book(store, address('noon'), 'settled');
    await store.records.replace('productions/film/render', { renderId: 'new' });
    await writeBackup(store, file);

    const { kept, written } = await restoreBackup(folder, file, NOTHING_SENT);
    expect({ kept, written }).toEqual({ kept: ['productions/film/render'], written: 5 });
    expect(await standsAt('noon')).toBe('settled');
  });

  it('is restored over a store in which normal work has replaced all replaceable records since', async () => {
    const asset = await store.putJson('a clip');
    const records = createProductionRecords(store);
    const holds = createHolds(store.records);
    const work = async (account: string): Promise<void> => {
      // As it was stored before it became part of the render's record.
      await store.records.replace('productions/film/source', { path: `/${account}.yaml`, account, at: account });
      await records.begin('film', { renderId: account, production: asset, account, at: account });
      await holds.release('film');
      await holds.hold('film', account);
      await store.records.replace('productions/film/status', { renderId: account });
      await store.ledger.noteOutput(address('dawn'), 'task-dawn', {
        asset,
        firstFrame: null,
        lastFrame: null,
        warnings: [account],
      });
    };
    await book(store, address('dawn'), 'settled');
    await work('first');
    await writeBackup(store, file);
    await work('second');
    const { kept, written } = await restoreBackup(store.folder, file, NOTHING_SENT);
    expect(kept.toSorted()).toEqual([
      'ledger/film/dawn/1/output',
      ...['hold', 'render', 'source', 'status'].map((name) => `productions/film/${name}`),
    ]);
    expect(written).toBe(0);
  });

  describe('restored while something may have been sent since', () => {
    it('makes takes unclear that may have been sent, and leaves those that surely were', async () => {
      const standings = ['intended', 'refused for now', 'on the wire', 'unclear', 'accepted', 'settled'] as const;
      for (const one of standings) await book(store, address(one.replaceAll(' ', '-')), one);
      await writeBackup(store, file);
      expect(await restoreBackup(folder, file, HELD)).toMatchObject({ held: 4 });
      expect(await standsAt('intended')).toBe('unclear');
      expect(await standsAt('refused-for-now')).toBe('unclear');
      expect(await standsAt('on-the-wire')).toBe('unclear');
      expect(await standsAt('unclear')).toBe('unclear');
      expect(await standsAt('accepted')).toBe('accepted');
      expect(await standsAt('settled')).toBe('settled');
    });

    it('leaves them sendable if a person says that nothing was sent', async () => {
      await book(store, address('dawn'), 'intended');
      await writeBackup(store, file);
      await restoreBackup(folder, file, NOTHING_SENT);
      expect(await standsAt('dawn')).toBe('sendable');
      expect(await openGap((await openStore(folder)).records)).toBeUndefined();
    });

    it('holds a take once, however often it is restored', async () => {
      await book(store, address('dawn'), 'unclear');
      await writeBackup(store, file);
      await restoreBackup(folder, file, HELD);
      expect(await restoreBackup(folder, file, HELD)).toMatchObject({ held: 0, written: 0 });
    });

    it('sends nothing after an interrupted restore, until it is run again', async () => {
      await book(store, address('dawn'), 'settled');
      await writeBackup(store, file);
      await restoreBackup(folder, file, HELD);
      const [name] = await (await openStore(folder)).records.list('restored');
      await rm(join(folder, `restored/${name}/done.json`));
      const { records } = await openStore(folder);
      await expect(openGap(records)).rejects.toThrow(RestoreUnfinished);
      await restoreBackup(folder, file, HELD);
      expect(await openGap(records)).toMatchObject({ backupAt: expect.any(String) });
    });

    it('remembers the gap in a backup of the restored store', async () => {
      await writeBackup(store, file);
      const { gap } = await restoreBackup(folder, file, HELD);
      await writeBackup(await openStore(folder), file);
      const third = join(await temporaryFolder(), 'third');
      await restoreBackup(third, file, HELD);
      expect(await openGap((await openStore(third)).records)).toMatchObject({ backupAt: gap.backupAt });
    });
  });

  it('is consistent although takes are booked meanwhile', async () => {
    const booking = (async () => {
      for (let n = 0; n < 40; n += 1) await book(store, address(`shot${n}`), 'settled');
    })();
    const files = Array.from({ length: 5 }, (_, n) => `${file}.${n}`);
    for (const one of files) {
      await writeBackup(store, one);
      await readBackup(one, () => undefined);
    }
    await booking;
    for (const [n, one] of files.entries()) {
      const into = join(await temporaryFolder(), `restored${n}`);
      await restoreBackup(into, one, HELD);
      const { ledger } = await openStore(into);
      for (const shot of await ledger.shots('film')) {
        const history = await ledger.take(address(shot));
        // Its later acceptance is missing, so the take must not be sendable.
        expect(history === undefined ? 'unknown' : standing(history).is).not.toBe('sendable');
      }
    }
  });
});
