import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inStore, manifestOf, publish, storedStatus } from '../../../client';
import { type AssetRef } from '../../../contracts/asset';
import { type FrozenProduction, type FrozenShot } from '../../../contracts/render/frozen';
import { Manifest } from '../../../contracts/manifest';
import { type ProductionStatus } from '../../../contracts/status';
import { askKey, openStore, type FolderStore } from '../../../store';
import { AT, intent, sent, settled } from '../../support/ledger-fixtures';
import { temporaryFolder } from '../../support/temporary-folder';
import { recordsOf } from '../../support/store-records';

const VIDEO = { mediaType: 'video/mp4', durationSeconds: 4, width: 854, height: 480 };
const PICTURE = { mediaType: 'image/png', durationSeconds: null, width: 854, height: 480 };

const DAWN: FrozenShot = {
  id: 'dawn',
  model: { id: 'beta-2.5', output: 'video' },
  parameters: { prompt: 'Dawn.' },
  files: {},
};
const DAWN_ASK = { account: 'sandbox', productionId: 'film', shot: DAWN, links: [] };

describe('the out folder', () => {
  let store: FolderStore;
  let folder: string;
  beforeEach(async () => {
    const base = await temporaryFolder();
    store = await openStore(join(base, 'store'));
    folder = join(base, 'out');
  });

  const bytes = (text: string, description: typeof VIDEO | typeof PICTURE): Promise<AssetRef> =>
    store.assets.putBytes(Buffer.from(text), description);

  async function take(shotId: string, number: number, words: string, account = 'sandbox'): Promise<void> {
    const address = { productionId: 'film', shotId, take: number };
    await store.ledger.intend(
      address,
      intent({ account, askKey: shotId === 'dawn' ? askKey(DAWN_ASK) : 'b'.repeat(64) }),
    );
    await store.ledger.beginSending(address, 1, sent());
    await store.ledger.endSending(address, 1, { kind: 'accepted', record: { taskId: `task-${words}`, at: AT } });
    await store.ledger.settle(address, settled('completed', `task-${words}`, 20));
    await store.ledger.noteOutput(address, `task-${words}`, {
      asset: await bytes(`clip ${words}`, VIDEO),
      firstFrame: await bytes(`first ${words}`, PICTURE),
      lastFrame: { asset: await bytes(`last ${words}`, PICTURE), source: 'gateway' },
      warnings: [],
    });
  }

  async function status(changes: Partial<FrozenProduction> = {}): Promise<ProductionStatus> {
    const model = { id: 'beta-2.5', output: 'video' } as const;
    const frozen: FrozenProduction = {
      version: 1,
      id: 'film',
      title: 'A film',
      shots: [
        DAWN,
        {
          id: 'day',
          model,
          parameters: { prompt: 'Day.' },
          files: { startFrame: { kind: 'link', shot: 'dawn', frame: 'last' } },
        },
      ],
      ...changes,
    };
    const shot = {
      model: 'beta-2.5',
      reason: null,
      parked: null,
      review: null,
      takes: [],
      filmTake: null,
      startedAt: AT,
      endedAt: AT,
    };
    return {
      production: 'film',
      title: 'A film',
      state: 'incomplete',
      renderId: 'render-1',
      frozen: await store.putJson(frozen),
      shots: [
        { ...shot, id: 'dawn', state: 'completed' },
        { ...shot, id: 'day', state: 'failed', reason: 'no luck' },
      ],
      film: await bytes('the film', VIDEO),
      assembly: 'completed',
      reason: null,
      startedAt: AT,
      endedAt: AT,
    };
  }

  const publishTo = async (one: ProductionStatus) => publish({ store, account: 'sandbox', status: one, folder });

  it('holds the film, every take, its frames, the manifest and the contact sheet', async () => {
    await take('dawn', 1, 'one');
    await take('dawn', 2, 'two');
    const { manifest, sheetPath, movedAside } = await publishTo(await status());

    const read = (...names: string[]) => readFileSync(join(folder, ...names), 'utf8');
    expect(read('film.mp4')).toBe('the film');
    expect(read('takes', 'dawn-take-2.mp4')).toBe('clip two');
    expect(read('frames', 'dawn-take-1-first.png')).toBe('first one');
    expect(read('frames', 'dawn-take-1-last.png')).toBe('last one');
    expect(Manifest.parse(JSON.parse(read('manifest.json')))).toEqual(manifest);
    expect(manifest.shots[0]?.takes.map(({ asset }) => asset?.path)).toEqual([
      join(folder, 'takes', 'dawn-take-1.mp4'),
      join(folder, 'takes', 'dawn-take-2.mp4'),
    ]);
    expect(manifest.shots[0]?.takes[0]?.lastFrame?.source).toBe('gateway');
    expect(sheetPath).toBe(join(folder, 'index.html'));
    expect(movedAside).toEqual([]);
  });

  it('is remembered: a status names its film and contact sheet, unless the film is older or gone', async () => {
    const one = await status();
    const told = async (now: ProductionStatus) => (await manifestOf(store, 'sandbox', now, inStore(store))).out;
    expect(await told(one)).toBeNull();
    const { manifest } = await publishTo(one);
    expect(manifest.out).toEqual({ folder, film: join(folder, 'film.mp4'), sheet: join(folder, 'index.html') });
    expect(await told(one)).toEqual(manifest.out);
    expect(await told({ ...one, film: await bytes('another film', VIDEO) })).toMatchObject({ film: null });
    // Another production that is exported into the same folder replaces its film.
    await publishTo({ ...one, production: 'other', film: await bytes('the film of another', VIDEO) });
    expect(await told(one)).toMatchObject({ film: null });
    await publishTo(one);
    expect(await told(one)).toMatchObject({ film: join(folder, 'film.mp4') });
    rmSync(join(folder, 'film.mp4'));
    expect(await told(one)).toMatchObject({ film: null, sheet: join(folder, 'index.html') });
    rmSync(folder, { recursive: true });
    expect(await told(one)).toBeNull();
  });

  it('counts the credits of shots that were removed from the file, and none of another account', async () => {
    await take('dawn', 1, 'one');
    await take('dawn', 2, 'theirs', 'https://another.example');
    await take('gone', 1, 'gone');
    const { manifest } = await publishTo(await status());
    expect(manifest.credits.charged).toBe(40);
    expect(manifest.shots.map(({ takes }) => takes.length)).toEqual([1, 0]);
    expect(readdirSync(join(folder, 'takes'))).toEqual(['dawn-take-1.mp4']);
  });

  it('does not rewrite files that are already there', async () => {
    await take('dawn', 1, 'one');
    const one = await status();
    await publishTo(one);
    const before = await stat(join(folder, 'film.mp4'));
    const { movedAside } = await publishTo(one);
    expect((await stat(join(folder, 'film.mp4'))).ino).toBe(before.ino);
    expect(movedAside).toEqual([]);
  });

  it('replaces its own earlier film, and moves files of a person aside', async () => {
    const one = await status();
    await publishTo(one);
    const second = { ...one, film: await bytes('the second film', VIDEO) };
    expect((await publishTo(second)).movedAside).toEqual([]);

    writeFileSync(join(folder, 'film.mp4'), 'cut by hand');
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    const third = await publishTo(second);
    expect(third.movedAside).toEqual([join(folder, 'film.kept-1.mp4')]);
    expect(readFileSync(join(folder, 'film.kept-1.mp4'), 'utf8')).toBe('cut by hand');
    expect(readFileSync(join(folder, 'film.mp4'), 'utf8')).toBe('the second film');
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('mine');
  });

  it('overwrites nothing in a folder that it has not written before', async () => {
    await mkdir(folder);
    writeFileSync(join(folder, 'film.mp4'), 'a holiday');
    await publishTo(await status());
    expect(readFileSync(join(folder, 'film.kept-1.mp4'), 'utf8')).toBe('a holiday');
  });

  it('omits a take whose bytes were removed from the store', async () => {
    await take('dawn', 1, 'one');
    const one = await status();
    const [history] = await store.ledger.takes('film', 'dawn');
    rmSync(store.assets.shownPath(history!.output!.asset));
    await publishTo(one);
    expect(readdirSync(join(folder, 'frames'))).toHaveLength(2);
  });

  it('names no file of a take that was pruned, and says that it was', async () => {
    await take('dawn', 1, 'one');
    await take('dawn', 2, 'two');
    const [history] = await store.ledger.takes('film', 'dawn');
    const { asset, firstFrame, lastFrame } = history!.output!;
    await store.ledger.notePruned({ productionId: 'film', shotId: 'dawn', take: 1 });
    for (const one of [asset, firstFrame!, lastFrame!.asset]) rmSync(store.assets.shownPath(one));
    const { manifest, sheetPath } = await publishTo(await status());
    expect(manifest.shots[0]?.takes).toMatchObject([
      { take: 1, state: 'completed', credits: 20, asset: null, lastFrame: null, pruned: expect.any(String) },
      { take: 2, asset: {}, lastFrame: {}, pruned: null },
    ]);
    const page = readFileSync(sheetPath, 'utf8');
    expect(page).not.toContain('dawn-take-1');
    expect(page).toContain('pruned</div>');
  });

  it.each(['../film.mp4', 'a/b.mp4', '.hidden.mp4', '/etc/film.mp4'])('refuses %s as a film', async (file) => {
    await expect(publishTo(await status({ output: { file } }))).rejects.toThrow(RangeError);
  });

  it('gets the status of an interrupted render from the store, and the archived one after its end', async () => {
    const one = await status();
    const { productions } = store;
    expect(await storedStatus(store, 'sandbox', 'film', {})).toBeUndefined();
    await take('dawn', 1, 'one');
    await productions.begin('film', { renderId: 'render-1', production: one.frozen, account: 'sandbox', at: AT });
    expect(await storedStatus(store, 'sandbox', 'film', {})).toMatchObject({
      state: 'running',
      shots: [
        { id: 'dawn', state: 'completed', takes: [{ taskId: 'task-one', credits: 20 }] },
        { id: 'day', state: 'pending' },
      ],
    });
    await recordsOf(store).replace('productions/film/status', one);
    expect(await storedStatus(store, 'sandbox', 'film', {})).toMatchObject({ state: 'incomplete' });
    await productions.begin('film', { renderId: 'render-2', production: one.frozen, account: 'sandbox', at: AT });
    expect(await storedStatus(store, 'sandbox', 'film', {})).toMatchObject({ state: 'running', renderId: 'render-2' });
  });

  it('gets a status from the ledger if the store lost the rest, as after a restore', async () => {
    const { frozen } = await status();
    await take('dawn', 1, 'one');
    const production = { ...frozen, sha256: 'f'.repeat(64) };
    await store.productions.begin('film', {
      renderId: 'render-1',
      production,
      account: 'sandbox',
      at: AT,
    });
    expect(await storedStatus(store, 'sandbox', 'film', {})).toMatchObject({
      state: 'running',
      reason: expect.stringContaining('render its file again'),
      shots: [{ id: 'dawn', takes: [{ taskId: 'task-one', credits: 20 }] }],
    });
  });
});
