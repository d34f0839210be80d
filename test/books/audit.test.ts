import { mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { audit, type Audit, type Difference, ledgerBooks, type ReadTask } from '../../client/books';
import { freezeProduction } from '../../client/freeze/freeze-production';
import { loadProduction } from '../../client/production-file';
import { takesOf } from '../../client/records/takes';
import { type AssetRef } from '../../contracts/asset';
import { type FolderStore, ownTaskId } from '../../store';
import { policy } from '../production-file/production-fixtures';
import { AT, intent, sent, settled } from '../support/ledger-fixtures';
import { address, book, newStore, storeOfMany } from './store-with-takes';
import { recordsOf } from '../support/store-records';

describe('audit of ledger and store', () => {
  let store: FolderStore;
  let clip: AssetRef;

  beforeEach(async () => {
    store = await newStore();
    clip = await putClip('the bytes of a clip');
    await book(store, address('dawn'), 'settled');
    await store.ledger.noteOutput(address('dawn'), 'task-dawn', output(clip));
    await recordsOf(store).replace('productions/film/source', {
      path: '/my films/film.yaml',
      account: 'sandbox',
      at: AT,
    });
  });

  const putClip = (text: string): Promise<AssetRef> =>
    store.assets.putBytes(Buffer.from(text), {
      mediaType: 'video/mp4',
      durationSeconds: 4,
      width: 640,
      height: 360,
    });

  const output = (asset: AssetRef) => ({ asset, firstFrame: null, lastFrame: null, warnings: [] });

  async function audited(readTask?: ReadTask): Promise<Audit> {
    const request = { store, account: 'sandbox', production: 'film' };
    return (await audit(readTask === undefined ? request : { ...request, readTask }))!;
  }

  async function only(readTask?: ReadTask): Promise<Difference> {
    const { differences, clean } = await audited(readTask);
    expect(clean).toBe(false);
    expect(differences).toHaveLength(1);
    return differences[0]!;
  }

  const RENDER = "dailies render '/my films/film.yaml' --id film";

  it('finds nothing if the records agree, and says what it checked', async () => {
    const { clean, differences, checked, notChecked } = await audited();
    expect({ clean, differences }).toEqual({ clean: true, differences: [] });
    expect(checked).toMatchObject({ takes: 1, assets: 1, sizeBytes: clip.sizeBytes });
    expect(notChecked.join()).toContain('Temporal is not running');
  });

  it('does not know a production that the store does not know', async () => {
    expect(await audit({ store, account: 'sandbox', production: 'another' })).toBeUndefined();
  });

  it('finds a missing asset', async () => {
    await rm(store.assets.shownPath(clip));
    expect(await only()).toMatchObject({ kind: 'asset-missing', shot: 'dawn', take: 1, command: RENDER });
  });

  it('finds a truncated asset', async () => {
    await truncate(store.assets.shownPath(clip), clip.sizeBytes - 1);
    expect(await only()).toMatchObject({ kind: 'asset-truncated', shot: 'dawn', command: RENDER });
  });

  it('finds an asset whose bytes were altered, and says to remove it first', async () => {
    await writeFile(store.assets.shownPath(clip), 'the bytes of a chip');
    const { kind, command } = await only();
    expect(kind).toBe('asset-altered');
    expect(command).toBe(`rm ${store.assets.shownPath(clip)} && ${RENDER}`);
  });

  it('finds a lost film and a lost frozen production', async () => {
    const lost = (sha256: string): AssetRef => ({ ...clip, sha256: sha256.repeat(64) });
    const status = { film: lost('a'), frozen: lost('b'), renderId: 'render-1', shots: [] };
    await recordsOf(store).replace('productions/film/status', status);
    const { differences } = await audited();
    expect(differences.map(({ kind, shot }) => [kind, shot])).toEqual([
      ['asset-missing', null],
      ['asset-missing', null],
    ]);
  });

  it('finds a frozen production that exists and cannot be read, and checks the rest', async () => {
    const path = store.assets.shownPath({ ...clip, sha256: 'b'.repeat(64) });
    await mkdir(path, { recursive: true });
    const frozen = { ...clip, sha256: 'b'.repeat(64), sizeBytes: (await stat(path)).size };
    await recordsOf(store).replace('productions/film/render', {
      ...{ renderId: 'r', production: frozen, account: 'sandbox', at: AT },
    });
    await recordsOf(store).replace('productions/film/status', { film: null, frozen, renderId: 'r', shots: [] });
    await truncate(store.assets.shownPath(clip), 3);
    expect((await audited()).differences.map(({ kind, shot }) => [kind, shot])).toEqual([
      ['asset-truncated', 'dawn'],
      ['asset-unreadable', null],
    ]);
  });

  it('reads few takes at once, however many productions the store has', async () => {
    const { store: many, most } = await storeOfMany(250);
    expect(await audit({ store: many, account: 'sandbox', production: 'film' })).toBeDefined();
    expect(most()).toBeLessThanOrEqual(100);
  });

  it('finds a part file that a download left', async () => {
    const takeKey = (await store.ledger.take(address('dawn')))!.intent.takeKey;
    const part = await store.assets.newPart(takeKey);
    expect(await only()).toMatchObject({ kind: 'part-left', shot: 'dawn', command: `rm ${part}` });
  });

  it.each(['unclear', 'abandoned'] as const)('finds a take that is %s, until a person has decided', async (how) => {
    await book(store, address('noon'), how);
    const { kind, shot, command } = await only();
    expect({ kind, shot }).toEqual({ kind: 'unclear', shot: 'noon' });
    expect(command).toContain('dailies resolve film noon --adopt');
    await store.ledger.decide(address('noon'), 1, { kind: 'skip', by: 'person', afterSending: 1, at: AT });
    expect((await audited()).clean).toBe(true);
  });

  it('names the command that renders again for an unclear take whose render has ended, since no workflow accepts a decision', async () => {
    await book(store, address('noon'), 'unclear');
    const render = { renderId: 'r', production: clip, account: 'sandbox', at: AT };
    await recordsOf(store).replace('productions/film/render', render);
    expect((await only()).command).toContain('dailies resolve film noon --adopt');
    await recordsOf(store).replace('productions/film/status', { film: null, frozen: clip, renderId: 'r', shots: [] });
    expect(await only()).toMatchObject({ kind: 'unclear', shot: 'noon', command: RENDER });
    expect((await ledgerBooks(store, 'sandbox')).unclear).toMatchObject([{ shot: 'noon', command: RENDER }]);
  });

  it('names the command that leaves out an unclear take that does not answer the present request', async () => {
    // The ledger's take of noon has the ask of another request.
    await book(store, address('noon'), 'unclear');
    const file = join(store.folder, 'film.json');
    const shots = [{ id: 'noon', model: 'beta-video', prompt: 'Noon.' }];
    await writeFile(file, JSON.stringify({ id: 'film', shots }));
    const loaded = await loadProduction(file, policy);
    if (!loaded.ok) throw new Error('the film is broken');
    const { ref } = await freezeProduction(loaded.production, store);
    await recordsOf(store).replace('productions/film/render', {
      ...{ renderId: 'r', production: ref, account: 'sandbox', at: AT },
    });
    await recordsOf(store).replace('productions/film/status', { film: null, frozen: ref, renderId: 'r', shots: [] });
    const command = 'dailies resolve film noon --take 1 --skip';
    expect(await only()).toMatchObject({ kind: 'unclear', shot: 'noon', command });
    expect((await ledgerBooks(store, 'sandbox')).unclear).toMatchObject([{ shot: 'noon', command }]);
  });

  it('finds a paid task that was not collected, once nothing is under way', async () => {
    await book(store, address('noon'), 'accepted');
    const render = { renderId: 'r', production: clip, account: 'sandbox', at: AT };
    await recordsOf(store).replace('productions/film/render', render);
    expect((await audited()).differences.map(({ kind }) => kind)).toEqual([]);
    await recordsOf(store).replace('productions/film/status', { film: null, frozen: clip, renderId: 'r', shots: [] });
    expect(await only()).toMatchObject({ kind: 'not-collected', shot: 'noon', command: RENDER });
  });

  it.each(['resubmit', 'skip'] as const)(
    'treats a paid task as settled that a person has given up by: %s',
    async (kind) => {
      await book(store, address('noon'), 'settled');
      expect(await only()).toMatchObject({ kind: 'not-collected', shot: 'noon' });
      const decision = { by: 'person', afterSending: 1, parkedFor: 'uncollected', at: AT } as const;
      await store.ledger.decide(address('noon'), 1, { ...decision, kind: 'wait' });
      expect((await audited()).clean).toBe(false);
      await store.ledger.decide(address('noon'), 2, { ...decision, kind });
      expect((await audited()).clean).toBe(true);
    },
  );

  it('does not treat a late answer as given up because the take was to be resent', async () => {
    await book(store, address('noon'), 'accepted');
    const resubmit = { kind: 'resubmit', by: 'person', afterSending: 1, parkedFor: 'unclear', at: AT } as const;
    await store.ledger.decide(address('noon'), 1, resubmit);
    expect(await only()).toMatchObject({ kind: 'not-collected', shot: 'noon' });
  });

  it('finds a take that was accepted twice, and says that no person decided that', async () => {
    await store.ledger.beginSending(address('dawn'), 2, sent());
    await store.ledger.endSending(address('dawn'), 2, { kind: 'accepted', record: { taskId: 'task-2', at: AT } });
    const { kind, what } = await only();
    expect(kind).toBe('charged-twice');
    expect(what).toBe('tasks task-dawn, task-2; nobody decided to send it again');
  });

  it('finds a sending whose beginning is lost, and counts its task', async () => {
    await rm(join(store.folder, 'ledger/film/dawn/1/sent-1.json'));
    expect(await only()).toMatchObject({ kind: 'sent-missing', shot: 'dawn', take: 1, what: 'sent-1', command: null });
  });

  it('finds one task id under two takes', async () => {
    await store.ledger.intend(address('noon'), (await store.ledger.take(address('dawn')))!.intent);
    await store.ledger.beginSending(address('noon'), 1, sent());
    await store.ledger.endSending(address('noon'), 1, { kind: 'accepted', record: { taskId: 'task-dawn', at: AT } });
    await store.ledger.settle(address('noon'), settled('completed', 'task-dawn'));
    await store.ledger.noteOutput(address('noon'), 'task-dawn', output(clip));
    const what = 'task task-dawn is also the task of take 1 of dawn';
    expect(await only()).toMatchObject({ kind: 'task-shared', shot: 'noon', what });
  });

  it('finds one task id under the takes of two productions of the account', async () => {
    await book(store, address('dawn', 1, 'sequel'), 'settled', { account: 'another' });
    expect((await audited()).clean).toBe(true);
    await book(store, address('dawn', 1, 'prequel'), 'settled');
    const what = 'task task-dawn is also the task of take 1 of dawn in prequel';
    expect(await only()).toMatchObject({ kind: 'task-shared', shot: 'dawn', what });
  });

  it.each<[string, (intent: string) => Promise<void>]>([
    ['lost', (path) => rm(path)],
    ['cut short', (path) => truncate(path, 10)],
  ])('finds a take whose intent is %s, while the status still shows the others', async (_what, harm) => {
    await book(store, address('noon'), 'failed');
    await harm(join(store.folder, 'ledger/film/noon/1/intent.json'));
    expect(await only()).toMatchObject({ kind: 'records-broken', shot: 'noon', take: 1 });
    const takes = await takesOf(store, 'sandbox', 'film');
    expect([...takes].map(([shot, { length }]) => [shot, length])).toEqual([['dawn', 1]]);
  });

  it('finds nothing broken in a folder that a crash left before anything was written', async () => {
    await mkdir(join(store.folder, 'ledger/film/noon/1'), { recursive: true });
    expect((await audited()).clean).toBe(true);
  });

  it('finds another charge, and another end, at the gateway', async () => {
    expect(await only(() => Promise.resolve({ state: 'completed', credits: 24 }))).toMatchObject({
      kind: 'charge-differs',
      what: 'task task-dawn: 12 credits in the ledger, 24 credits at the gateway',
    });
    expect(await only(() => Promise.resolve({ state: 'failed', credits: 12 }))).toMatchObject({
      kind: 'state-differs',
    });
    const forgotten = await audited(() => Promise.resolve(undefined));
    expect(forgotten.clean).toBe(true);
    expect(forgotten.notChecked).toContain('the gateway gave no answer for 1 of 1 tasks');
  });

  it('does not ask the gateway for the id that Dailies gave to a task without one', async () => {
    const [noon, { takeKey }] = [address('noon'), intent()];
    const taskId = ownTaskId(takeKey, 1);
    await store.ledger.intend(noon, intent());
    await store.ledger.beginSending(noon, 1, sent());
    await store.ledger.endSending(noon, 1, { kind: 'accepted', record: { taskId, at: AT } });
    await store.ledger.settle(noon, settled('completed', taskId, 12));
    const asked: string[] = [];
    await audited((id) => {
      asked.push(id);
      return Promise.resolve(undefined);
    });
    expect(asked).toEqual(['task-dawn']);
  });

  it('changes nothing', async () => {
    await truncate(store.assets.shownPath(clip), 3);
    const record = join(store.folder, 'ledger/film/dawn/1/settled.json');
    const before = await readFile(record, 'utf8');
    await audited();
    expect(await readFile(record, 'utf8')).toBe(before);
    expect(await readFile(store.assets.shownPath(clip), 'utf8')).toBe('the');
  });
});
