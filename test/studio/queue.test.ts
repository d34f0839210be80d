import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { createAccountPrograms } from '../../client/programs/account';
import { type ProgramContext } from '../../client/programs/context';
import { createSteering } from '../../client/programs/steering';
import { type QueueView, queueView } from '../../client/temporal/limits';
import { type FolderStore, openStore } from '../../store';
import { queue } from '../../studio/pages/queue';
import { OWN_ACCOUNT, recordRun, recordedEnd, recordedRow } from '../support/batch-records';
import { visit, type Visit } from '../support/studio-visit';
import { temporaryFolder } from '../support/temporary-folder';

const HOSTILE = '<img src=x onerror=alert(1)>';

const WAITS: QueueView = {
  hasWorker: true,
  ...{ inFlight: 2, inFlightByModel: {}, closedUntil: null, learnedInFlight: null },
  ...{ isLearning: false, asking: 0, unreadable: [], trouble: null },
  waiting: [
    {
      ...{ production: 'film', shot: 'dawn', take: 1, model: HOSTILE, priority: 'urgent', group: 'film' },
      ...{ since: '2026-11-22T02:00:00.000Z', waitsFor: 'a place in flight' },
    },
  ],
};

describe('the queue', () => {
  let store: FolderStore;
  let page: Visit;
  /** Another studio, since one keeps versions for two seconds. */
  let open: (more?: object) => Visit;

  beforeEach(async () => {
    store = await openStore(await temporaryFolder());
    for (const id of ['first', 'second']) {
      await recordRun(store, id, { rows: [recordedRow('a'), recordedRow('b')], ends: [recordedEnd('a')] });
    }
    await recordRun(store, 'over', { rows: [recordedRow('a')], ends: [recordedEnd('a')], state: 'completed' });
    // The store is real; Temporal is not asked.
    const batches = { report: (id: string) => Promise.resolve({ batch: id, state: 'running' }) };
    const config = { account: OWN_ACCOUNT };
    const context = { config, store, client: { batches }, hasWorker: () => Promise.resolve(false) };
    const programs = context as unknown as ProgramContext;
    const account = createAccountPrograms(programs);
    const parts = { store, ...account, ...createSteering(programs), queue: () => Promise.resolve(WAITS) };
    open = (more = {}) => visit([queue], { ...parts, ...more });
    page = open();
  });

  it('shows what waits, for what and since when, the next one first, as texts', async () => {
    const { text } = await page.get('/queue');
    expect(text).toContain('a place in flight');
    expect(text).toContain('/productions/film/shots/dawn');
    expect(text).toContain('urgent');
    expect(text).not.toContain(HOSTILE);
    expect(page.errors).toEqual([]);
  });

  it('does not claim that nothing waits while no worker runs', async () => {
    const { text } = await open({ queue: () => Promise.resolve(queueView(false, undefined)) }).get('/queue');
    expect(text).toContain('not known what waits');
    expect(text).not.toContain('Nothing waits');
  });

  it('says which gates are closed, and when they are tried', async () => {
    const { text: before } = await page.get('/queue');
    await store.account(OWN_ACCOUNT).gate.close({
      ...{ for: 'down', reason: `no answer ${HOSTILE}`, since: '2026-11-22T01:00:00.000Z', failures: 3 },
      ...{ tryAt: '2026-11-22T01:05:00.000Z', tryAnywayAt: '2026-11-22T01:30:00.000Z' },
    });
    const { text } = await open().get('/queue');
    expect(text).toContain('no answer &lt;img');
    expect(text).toContain('2026-11-22T01:30:00.000Z');
    // An open page learns of it: its version differs.
    expect(versionIn(text)).toBeDefined();
    expect(versionIn(text)).not.toBe(versionIn(before));
  });

  it('has another version than a page without a gate that closed while that page was made', async () => {
    const gate = {
      ...{ model: null, reason: 'no answer', since: '2026-11-22T01:00:00.000Z' },
      ...{ triesAt: '2026-11-22T01:05:00.000Z', triesAnywayAt: '2026-11-22T01:30:00.000Z' },
    };
    let asked = 0;
    const studio = open({ closedGates: () => Promise.resolve((asked += 1) === 1 ? [] : [gate]) });
    const [without, behind] = [await studio.get('/queue'), await studio.get('/queue')];
    expect(without.text).not.toContain('no answer');
    expect(behind.text).toContain('no answer');
    expect(versionIn(behind.text)).not.toBe(versionIn(without.text));
  });

  it('pauses all that runs and says which, and resumes only what the person saw', async () => {
    const done = await page.send(await page.get('/queue'), '/queue/pause-all');
    expect(done.text).toContain('Paused: first, second.');
    expect(await store.holds.inForce('over')).toBeUndefined();
    expect(await store.holds.inForce('first')).toMatchObject({ by: 'person' });
    await store.holds.resume('second');
    const seen = await page.get('/queue');
    await store.holds.pause('second', 'paused since');
    expect((await page.send(seen, '/queue/resume-all')).text).toContain('Resumed: first.');
    expect(await store.holds.inForce('first')).toBeUndefined();
    expect(await store.holds.inForce('second')).toMatchObject({ reason: 'paused since' });
  });

  it('also pauses a batch whose records cannot be read, since it may be running', async () => {
    await truncate(join(store.folder, 'batches/first/begun-1.json'), 5);
    await store.holds.hold('second', 'it was interrupted');
    await truncate(join(store.folder, 'productions/second/hold.json'), 5);
    expect((await page.send(await page.get('/queue'), '/queue/pause-all')).text).toContain('Paused: first, second.');
    for (const id of ['first', 'second']) expect(await store.holds.inForce(id)).toMatchObject({ by: 'person' });
  });

  it.each(['{}', '[1]', 'nonsense', '"first"', ''])('resumes nothing for the ids %s', async (ids) => {
    await store.holds.pause('first', 'by a person');
    expect(await page.send(await page.get('/queue'), '/queue/resume-all', { ids })).toMatchObject({ status: 409 });
    expect(await store.holds.inForce('first')).toMatchObject({ by: 'person' });
    expect(page.errors).toEqual([]);
  });

  it('does not set limits of the account for a model without a name', async () => {
    const { limits } = store.account(OWN_ACCOUNT);
    const opened = await page.get('/queue');
    const forms = opened.text.split('<form').filter((one) => one.includes('action="/queue/limits"'));
    const ofModel = { ...opened, text: `<form${forms.find((one) => one.includes('name="model" required'))!}` };
    const refused = await page.send(ofModel, '/queue/limits', { model: ' ', creditsPerDay: '1000' });
    expect(refused.text).toContain('Enter a model id');
    expect((await limits.read()).account).toEqual({});
  });

  it('says that nothing was changed if no limit was edited', async () => {
    const sent = await page.send(await page.get('/queue'), '/queue/limits', {});
    expect(sent.text).toContain('You edited no limit, so nothing was changed.');
    expect(sent.text).not.toContain('are set');
  });

  it('sets a limit of no credits a day, and refuses 0 for other limits', async () => {
    const { limits } = store.account(OWN_ACCOUNT);
    await page.send(await page.get('/queue'), '/queue/limits', { creditsPerDay: '0' });
    expect((await limits.read()).account).toEqual({ creditsPerDay: 0 });
    const refused = await page.send(await page.get('/queue'), '/queue/limits', { inFlight: '0' });
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining('&quot;0&quot; is not a whole number from 1 with at most 12 digits'),
    ]);
    const half = await page.send(await page.get('/queue'), '/queue/limits', { perMinute: '2.5' });
    expect(half.text).toContain('&quot;2.5&quot; is not a whole number from 1');
    const never = await page.send(await page.get('/queue'), '/queue/limits', { perSecond: '0' });
    expect(never.text).toContain('&quot;0&quot; is not a number above 0 with at most 12 digits');
    expect((await limits.read()).account).toEqual({ creditsPerDay: 0 });
  });

  it('sets limits of the account, takes them away, and keeps what was typed wrongly', async () => {
    const set = await page.send(await page.get('/queue'), '/queue/limits', { inFlight: '8', creditsPerDay: '12.5' });
    expect(set.text).toContain('The limits of the account are set');
    const { limits } = store.account(OWN_ACCOUNT);
    expect((await limits.read()).account).toEqual({ inFlight: 8, creditsPerDay: 12.5 });
    for (const typed of ['-1', '0', '1e3', 'NaN', HOSTILE, '1.5']) {
      const refused = await page.send(set, '/queue/limits', {
        inFlight: typed,
        token: tokenIn(await page.get('/queue')),
      });
      expect(refused.status).toBe(422);
      expect(refused.text).not.toContain(HOSTILE);
      expect(refused.text).toContain('role="alert"');
    }
    await page.send(await page.get('/queue'), '/queue/limits', { inFlight: '', creditsPerDay: '' });
    expect((await limits.read()).account).toEqual({});
    expect(page.errors).toEqual([]);
  });

  it('leaves a limit on money that was set after the page was opened', async () => {
    const opened = await page.get('/queue');
    const { limits } = store.account(OWN_ACCOUNT);
    await page.send(await page.get('/queue'), '/queue/limits', { creditsPerDay: '500' });
    await page.send(opened, '/queue/limits', { inFlight: '8', creditsPerDay: '' });
    expect((await limits.read()).account).toEqual({ inFlight: 8, creditsPerDay: 500 });
    await page.send(opened, '/queue/limits', { inFlight: '', shown: 'nonsense' });
    expect((await limits.read()).account).toEqual({ inFlight: 8, creditsPerDay: 500 });
  });
});

function versionIn(html: string): string | undefined {
  return /data-version="([^"]+)"/.exec(html)?.[1];
}

/** A new token of the form of limits. */
function tokenIn({ text }: { readonly text: string }): string {
  const form = text.split('<form').find((one) => one.includes('action="/queue/limits"')) ?? '';
  return /name="token" value="([^"]*)"/.exec(form)?.[1] ?? '';
}
