import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readTiming } from '../../client/schedules';
import { openStore, RestoreUnfinished, ledgerState, type FolderStore } from '../../store';
import { readBackup, writeBackup } from '../../store/backup/backup';
import { restoreBackup } from '../../store/backup/restore';
import { temporaryFolder } from '../support/temporary-folder';
import { address, book, newStore } from './store-with-takes';
import { recordsOf } from '../support/store-records';

const HELD = { nothingSentSince: false };
const NOTHING_SENT = { nothingSentSince: true };

describe('a backup of the ledger', () => {
  let store: FolderStore;
  let folder: string;
  let file: string;

  beforeEach(async () => {
    store = await newStore();
    folder = join(await temporaryFolder(), 'restored');
    file = join(await temporaryFolder(), 'ledger.backup');
  });

  async function standsAt(shotId: string, at = folder): Promise<string | undefined> {
    const history = await (await openStore(at)).ledger.take(address(shotId));
    return history && ledgerState(history).is;
  }

  it('restores every record into an empty folder, with the identity of the store', async () => {
    await book(store, address('dawn'), 'settled');
    await book(store, address('noon'), 'accepted');
    await recordsOf(store).replace('productions/film/source', { path: '/film.yaml', account: 'sandbox', at: 'now' });
    await writeBackup(store.folder, file);

    const { written, held } = await restoreBackup(folder, file, HELD);
    const restored = await openStore(folder);
    expect(restored.id).toBe(store.id);
    expect({ written, held }).toEqual({ written: 10, held: 0 });
    expect(await restored.ledger.take(address('dawn'))).toEqual(await store.ledger.take(address('dawn')));
    expect(await recordsOf(restored).read('productions/film/source')).toMatchObject({ path: '/film.yaml' });
  });

  it("restores people's decisions about shots", async () => {
    const chosen = { takeKey: 'a'.repeat(64), take: 2, by: 'person', approved: true } as const;
    const at = { productionId: 'film', shotId: 'dawn', context: 'c'.repeat(64) };
    await store.directing.choose(at, chosen);
    await writeBackup(store.folder, file);
    await restoreBackup(folder, file, HELD);
    expect(await (await openStore(folder)).directing.choice(at)).toMatchObject(chosen);
  });

  it('restores batches, schedules, limits and notify targets, but nothing that is learned again', async () => {
    const limits = { account: { inFlight: 8 }, models: {} };
    await store.account('sandbox').limits.change(() => ({ account: {}, models: {} }));
    const records = recordsOf(store);
    const [key = ''] = (await records.list('accounts')).map((hash) => `accounts/${hash}/limits`);
    const earlier = await records.read(key);
    await store.account('sandbox').limits.change(() => limits);
    // As after a change whose process died before it had replaced the record that readers begin with.
    await records.replace(key, earlier);
    await store.account('sandbox').limits.noteThrottled();
    const target = await store.notices.putTarget('https://example.com/hook');
    const index = await store.putJson({ pages: [] });
    const rules = { parallel: 4, stopAfterFailures: null, notify: { target } };
    const begun = { run: 1, renderId: 'r', account: 'sandbox', index, at: 'now', ...rules };
    await store.batches.begin('night', begun);
    await store.batches.noteResults('night', 1, 1, []);
    const template = { template: index, file: '/film.yaml', source: index, files: [], frozenAt: 'now' };
    const timing = readTiming({ every: '6h' });
    await store.schedules.append('six', {
      ...{ account: 'sandbox', timing, frozen: template, at: 'now', deleted: false },
    });
    await writeBackup(store.folder, file);
    await restoreBackup(folder, file, HELD);

    const restored = await openStore(folder);
    expect(await restored.account('sandbox').limits.read()).toMatchObject(limits);
    expect((await restored.account('sandbox').limits.inForce())?.force).toMatch(/ none$/);
    expect(await restored.notices.target(target)).toBe('https://example.com/hook');
    expect(await restored.batches.begun('night')).toEqual(begun);
    expect(await restored.batches.results('night', 1, 1)).toEqual([]);
    expect(await restored.schedules.last('six')).toMatchObject({ timing, number: 1 });
  });

  it('keeps a truncated record as a sign that something was begun', async () => {
    await book(store, address('dawn'), 'intended');
    await writeFile(join(store.folder, 'ledger/film/dawn/1/sent-1.json'), '{"at": "20');
    await writeBackup(store.folder, file);
    await restoreBackup(folder, file, NOTHING_SENT);
    expect(await standsAt('dawn')).toBe('sending');
  });

  it('leaves no part file, and replaces an older backup at once', async () => {
    await writeBackup(store.folder, file);
    await book(store, address('dawn'), 'settled');
    expect(await writeBackup(store.folder, file)).toBe(6);
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
    await writeBackup(store.folder, file);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    await writeFile(file, change(lines).join('\n'));
    await expect(restoreBackup(folder, file, HELD)).rejects.toThrow(/incomplete backup|altered|not a backup/);
    await expect(readFile(join(folder, 'store.json'))).rejects.toThrow('ENOENT');
  });

  it('never changes a record: a different content is reported, and nothing is restored', async () => {
    await book(store, address('dawn'), 'settled');
    await writeBackup(store.folder, file);
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
    await writeBackup(store.folder, file);
    await expect(restoreBackup((await newStore()).folder, file, HELD)).rejects.toThrow('DAILIES_STORE');
  });

  it('completes an older store of the same identity, and leaves records that normal work replaces', async () => {
    await book(store, address('dawn'), 'accepted');
    await recordsOf(store).replace('productions/film/render', { renderId: 'old' });
    await writeBackup(store.folder, file);
    await restoreBackup(folder, file, NOTHING_SENT);
    await book(store, address('noon'), 'settled');
    await recordsOf(store).replace('productions/film/render', { renderId: 'new' });
    await writeBackup(store.folder, file);

    const { kept, written } = await restoreBackup(folder, file, NOTHING_SENT);
    expect({ kept, written }).toEqual({ kept: ['productions/film/render'], written: 5 });
    expect(await standsAt('noon')).toBe('settled');
  });

  it('is restored over a store in which normal work has replaced all replaceable records since', async () => {
    const asset = await store.putJson('a clip');
    const { productions } = store;
    const { holds } = store;
    const work = async (account: string): Promise<void> => {
      // As it was stored before it became part of the render's record.
      await recordsOf(store).replace('productions/film/source', { path: `/${account}.yaml`, account, at: account });
      await productions.begin('film', { renderId: account, production: asset, account, at: account });
      await holds.release('film');
      await holds.hold('film', account);
      await recordsOf(store).replace('productions/film/status', { renderId: account });
      await store.ledger.noteOutput(address('dawn'), 'task-dawn', {
        asset,
        firstFrame: null,
        lastFrame: null,
        warnings: [account],
      });
    };
    await book(store, address('dawn'), 'settled');
    await work('first');
    await writeBackup(store.folder, file);
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
      await writeBackup(store.folder, file);
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
      await writeBackup(store.folder, file);
      await restoreBackup(folder, file, NOTHING_SENT);
      expect(await standsAt('dawn')).toBe('sendable');
      expect(await (await openStore(folder)).restores.openGap()).toBeUndefined();
    });

    it('holds a take once, however often it is restored', async () => {
      await book(store, address('dawn'), 'unclear');
      await writeBackup(store.folder, file);
      await restoreBackup(folder, file, HELD);
      expect(await restoreBackup(folder, file, HELD)).toMatchObject({ held: 0, written: 0 });
    });

    it('sends nothing after an interrupted restore, until it is run again', async () => {
      await book(store, address('dawn'), 'settled');
      await writeBackup(store.folder, file);
      await restoreBackup(folder, file, HELD);
      const [name] = await recordsOf({ folder }).list('restored');
      await rm(join(folder, `restored/${name}/done.json`));
      const { restores } = await openStore(folder);
      await expect(restores.openGap()).rejects.toThrow(RestoreUnfinished);
      await restoreBackup(folder, file, HELD);
      expect(await restores.openGap()).toMatchObject({ backupAt: expect.any(String) });
    });

    it('remembers the gap in a backup of the restored store', async () => {
      await writeBackup(store.folder, file);
      const { gap } = await restoreBackup(folder, file, HELD);
      await writeBackup(folder, file);
      const third = join(await temporaryFolder(), 'third');
      await restoreBackup(third, file, HELD);
      expect(await (await openStore(third)).restores.openGap()).toMatchObject({ backupAt: gap.backupAt });
    });
  });

  it('is consistent although takes are booked meanwhile', async () => {
    const booking = (async () => {
      for (let n = 0; n < 40; n += 1) await book(store, address(`shot${n}`), 'settled');
    })();
    const files = Array.from({ length: 5 }, (_, n) => `${file}.${n}`);
    for (const one of files) {
      await writeBackup(store.folder, one);
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
        expect(history === undefined ? 'unknown' : ledgerState(history).is).not.toBe('sendable');
      }
    }
  });
});
