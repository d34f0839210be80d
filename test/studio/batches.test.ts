import { createRowViews, type LiveBatch, type RetryPlan } from '../../client/batch';
import { Refused } from '../../client/wording/refused';
import { type FolderStore, openStore, type Store } from '../../store';
import { batches } from '../../studio/pages/batch/batches';
import { type Studio } from '../../studio/server/studio';
import { batchVersion, READING } from '../../studio/views/batch-view';
import { countingReads, recordRun, recordedEnd, recordedRow } from '../support/batch-records';
import { visit, type Visit } from '../support/studio-visit';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';

const HOSTILE = '<script>alert(1)</script>';
const ENDED: LiveBatch = { isRunning: false, status: undefined, endedAs: null };

describe("a batch's page", () => {
  let store: FolderStore;

  beforeAll(async () => {
    store = await openStore(await temporaryFolder());
    const keys = Array.from({ length: 250 }, (_, index) => `${index < 200 ? 'cup' : 'pot'}-${index}`);
    const rows = [...keys.map((key) => recordedRow(key)), recordedRow(HOSTILE)];
    const failed = {
      state: 'failed',
      credits: null,
      reason: `refused at 2026-03-01T08:00:00.123Z ${HOSTILE}`,
    } as const;
    const ends = [...keys.map((key, index) => recordedEnd(key, index % 50 === 7 ? failed : {}))];
    await recordRun(store, 'shop', { rows, ends, title: `Cups ${HOSTILE}`, state: 'incomplete' });
  });

  /** Its pages are those with rows: on a loaded machine, reading the rows may take longer than a page waits. */
  async function over(of: Store, actions: object = {}, live: LiveBatch = ENDED): Promise<Visit> {
    const rows = createRowViews(of);
    for (const id of await of.batches.ids()) await rows.summary(id, live);
    const client = { batches: { rows, live: () => Promise.resolve(live) } };
    const studio = visit([batches], { store: of, client, ...actions });
    const get: Visit['get'] = (...asked) =>
      until(async () => {
        const page = await studio.get(...asked);
        return !page.text.includes('rows are being read') && page;
      });
    return { ...studio, get };
  }

  it('shows counts, failures and a hundred rows, and leads to the next hundred', async () => {
    const page = await (await over(store)).get('/batches/shop');
    expect(page.status).toBe(200);
    expect(page.text).toContain('245 of 251');
    expect(page.text).toContain('5 rows failed');
    expect(page.text.match(/<tr id="row-/g)).toHaveLength(100);
    expect(page.text).toMatch(/rel="next" href="\/batches\/shop\?page=2"/);
    expect(page.text).not.toContain('rel="prev"');
  });

  it('shows when a running batch is expected to end', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `egg-${index}`);
    const ended = keys.slice(0, 10);
    const ends = ended.map((key, at) =>
      recordedEnd(key, { at: new Date(Date.now() - (ended.length - at) * 60_000).toISOString() }),
    );
    await recordRun(store, 'eggs', { rows: keys.map((key) => recordedRow(key)), ends, parallel: 3 });
    const counts = { completed: 10, failed: 0, skipped: 0, cancelled: 0, parked: 0 };
    const status = { batch: 'eggs', run: 1, state: 'running', reason: null, rows: 20, open: 20, counts } as const;
    const times = { startedAt: new Date(Date.now() - 600_000).toISOString(), endedAt: null };
    const live = { isRunning: true, endedAs: null, status: { ...status, underWay: [], ...times } };
    const { text } = await (await over(store, {}, live)).get('/batches/eggs');
    expect(text).toContain('about 10 min to go');
    expect((await (await over(store)).get('/batches/shop')).text).not.toContain('to go');

    const client = { batches: { rows: createRowViews(store), live: () => Promise.resolve(live) } };
    const temporal = { withDeadline: (_limit: number, call: () => Promise<unknown>) => call() };
    const studio = { dailies: { store, client, temporal } } as unknown as Studio;
    const first = await until(async () => {
      const version = await batchVersion(studio, 'eggs');
      return version !== READING && version;
    });
    expect(await batchVersion(studio, 'eggs')).toBe(first);
  });

  it('says that an interrupted batch is held, and continues it', async () => {
    await recordRun(store, 'held', { rows: [recordedRow('a'), recordedRow('b')], ends: [recordedEnd('a')] });
    await store.holds.hold('held', 'it was interrupted');
    const running: LiveBatch = { isRunning: true, status: undefined, endedAs: null };
    const retried: unknown[] = [];
    const actions = {
      batchSummary: (id: string) => createRowViews(store).summary(id, running),
      retryFailed: (...asked: unknown[]) => Promise.resolve(retried.push(asked)),
    };
    const wentOn: string[] = [];
    let isOver = false;
    const goOn = (id: string) =>
      isOver ? Promise.reject(new Refused('not running any more')) : Promise.resolve(wentOn.push(id));
    const client = { batches: { rows: createRowViews(store), live: () => Promise.resolve(running), goOn } };
    const studio = await over(store, { ...actions, client }, running);
    const page = await studio.get('/batches/held');
    expect(page.text).toMatch(/held because it was interrupted: nothing new is bought; .* goes on with it/);
    expect(page.text).not.toContain('Render all rows without a result');
    expect((await studio.send(page, '/batches/held/continue')).text).toContain('The batch continues.');
    expect(wentOn).toEqual(['held']);

    const [again, late] = [await studio.get('/batches/held'), await studio.get('/batches/held')];
    isOver = true;
    expect(await studio.send(late, '/batches/held/continue')).toMatchObject({ status: 409 });
    await store.holds.release('held');
    expect((await studio.send(again, '/batches/held/continue')).text).toContain('is not held any more');
    expect(wentOn).toHaveLength(1);
    // A retry would begin a run if the batch had just ended.
    expect(retried).toEqual([]);
  });

  it('offers to render rows again only once the batch has ended', async () => {
    await recordRun(store, 'draining', { rows: [recordedRow('a'), recordedRow('b')], ends: [recordedEnd('a')] });
    const counts = { completed: 1, failed: 0, skipped: 0, cancelled: 0, parked: 0 };
    const status = {
      batch: 'draining',
      run: 1,
      state: 'running',
      reason: 'too many failed',
      rows: 2,
      open: 2,
    } as const;
    const times = { startedAt: new Date().toISOString(), endedAt: null };
    const live = { isRunning: true, endedAs: null, status: { ...status, counts, underWay: [], ...times } };
    const again = 'Render all rows without a result';
    expect((await (await over(store, {}, live)).get('/batches/draining')).text).not.toContain(again);
    expect((await (await over(store)).get('/batches/draining')).text).toContain(again);
  });

  it('shows the times in the reasons of rows in the zone of the machine', async () => {
    const { text } = await (await over(store)).get('/batches/shop?state=failed');
    expect(text).toMatch(/refused at 2026-0[23]-\d\d \d\d:\d\d:00 [A-Z]/);
    expect(text).not.toContain('08:00:00.123Z');
  });

  it('shows texts of rows and titles as texts', async () => {
    const shop = await over(store);
    for (const query of ['', '?page=3', '?state=failed', `?key=${encodeURIComponent(HOSTILE)}`]) {
      const page = await shop.get(`/batches/shop${query}`);
      expect(page.text).toContain('&lt;script&gt;');
      expect(page.text).not.toContain(HOSTILE);
    }
  });

  it('finds rows by state and by the beginning of their keys, and keeps both from page to page', async () => {
    const shop = await over(store);
    const failed = await shop.get('/batches/shop?state=failed&key=cup-');
    expect(failed.text.match(/<tr id="row-/g)).toHaveLength(4);
    expect(failed.text).toContain('name="state" value="failed"');
    const second = await shop.get('/batches/shop?state=completed&key=cup-&page=2');
    expect(second.text.match(/<tr id="row-/g)).toHaveLength(96);
    expect(second.text).toMatch(/rel="prev" href="\/batches\/shop\?state=completed&amp;key=cup-"/);
    expect(second.text).not.toContain('rel="next"');
  });

  const QUERIES = [
    ...['page=0', 'page=-1', 'page=1e9', 'page=999999999999', 'page=NaN', 'page=2&page=3', 'page=9999999'],
    ...['state=__proto__', 'state=constructor', 'state=', `state=${HOSTILE}`, 'state=failed&state=parked'],
    ...[`key=${'x'.repeat(100)}`, 'key=%00', 'key=../../etc', `key=${HOSTILE}`, '%E0%A4%A=%', 'done=nonsense'],
  ];
  it.each(QUERIES)('shows what there is for the query %s', async (query) => {
    const shop = await over(store);
    const page = await shop.get(`/batches/shop?${query}`);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain(HOSTILE);
    expect(shop.errors).toEqual([]);
  });

  it.each(['nobody', '..', '%2e%2e%2fledger', 'a%2Fb', '%00', HOSTILE, 'x'.repeat(100)])(
    'says that there is no batch %s',
    async (id) => {
      const shop = await over(store);
      const paths = ['', '/results.jsonl', '/results.csv'].map((end) => `/batches/${encodeURIComponent(id)}${end}`);
      for (const path of paths) {
        const page = await shop.get(path);
        expect([404, 409]).toContain(page.status);
        expect(page.text).not.toContain(HOSTILE);
      }
      expect(shop.errors).toEqual([]);
    },
  );

  it('answers while the rows of a large batch are still read', async () => {
    let isRead: () => void = () => undefined;
    const read = new Promise<void>((resolve) => (isRead = resolve));
    const rows = createRowViews(store);
    const summary: typeof rows.summary = async (...asked) => read.then(() => rows.summary(...asked));
    const client = { batches: { rows: { ...rows, summary }, live: () => Promise.resolve(ENDED) } };
    const shop = visit([batches], { store, client });
    expect((await shop.get('/batches/shop')).text).toContain('being read');
    isRead();
    // A loaded machine may take longer than the page waits.
    await until(async () => (await shop.get('/batches/shop')).text.includes('245 of 251'));
  });

  it('keeps its last rows while newer ones are read', async () => {
    const rows = createRowViews(store);
    let isSlow = false;
    const summary: typeof rows.summary = async (...of) => (isSlow ? new Promise(() => undefined) : rows.summary(...of));
    const client = { batches: { rows: { ...rows, summary }, live: () => Promise.resolve(ENDED) } };
    const shop = visit([batches], { store, client });
    const versionOf = async (): Promise<string | undefined> => {
      const { text } = await shop.get('/batches/shop');
      return text.includes('245 of 251') ? /data-version="([^"]+)"/.exec(text)?.[1] : undefined;
    };
    const before = await until(versionOf);
    isSlow = true;
    expect(await versionOf()).toBe(before);
  });

  it('has another version while its rows are read for the first time', async () => {
    const rows = createRowViews(store);
    let asked = 0;
    const summary: typeof rows.summary = async (...of) =>
      (asked += 1) <= 2 ? new Promise(() => undefined) : rows.summary(...of);
    const client = { batches: { rows: { ...rows, summary }, live: () => Promise.resolve(ENDED) } };
    const shop = visit([batches], { store, client });
    const pageWith = (text: string) =>
      until(async () => {
        const page = await shop.get('/batches/shop');
        return page.text.includes(text) && /data-version="([^"]+)"/.exec(page.text)?.[1];
      });
    expect(await pageWith('being read')).not.toBe(await pageWith('245 of 251'));
  });

  it('reads the records of its own rows only, of 5,000', async () => {
    const keys = Array.from({ length: 5_000 }, (_, index) => `row-${index}`);
    const ends = keys.map((key) => recordedEnd(key));
    await recordRun(store, 'big', { rows: keys.map((key) => recordedRow(key)), ends, state: 'completed' });
    const { store: counted, reads } = countingReads(store);
    const big = await over(counted);
    const opened = reads();
    expect((await big.get('/batches/big?page=27')).text).toContain('row-2600');
    // What the page and its version say of the batch itself, and two pages of results. All results are a hundred.
    expect(reads().records - opened.records).toBeLessThanOrEqual(40);
  });

  it('gives all results as a file, row by row', async () => {
    const shop = await over(store);
    const lines = await shop.get('/batches/shop/results.jsonl');
    expect(lines.headers.get('content-disposition')).toContain('attachment');
    expect(lines.headers.get('x-content-type-options')).toBe('nosniff');
    const objects = lines.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { key: string; state: string });
    expect(objects).toHaveLength(251);
    expect(objects[7]).toMatchObject({ key: 'cup-7', state: 'failed' });
    const table = await shop.get('/batches/shop/results.csv');
    expect(table.text.split('\n')).toHaveLength(253);
    expect(table.text).toMatch(/^key,state,/);
  });

  describe('retrying', () => {
    const plan: RetryPlan = {
      ...{ batch: 'shop', run: 1, rows: 251, open: 5, first: ['cup-7'] },
      quote: { tasks: 5, credits: 40, unknown: 0 },
    };
    const path = '/batches/shop/retry';

    async function planned(now: () => RetryPlan): Promise<{ readonly shop: Visit; readonly begun: unknown[] }> {
      const begun: unknown[] = [];
      const shop = await over(store, {
        planRetry: () => Promise.resolve(now()),
        retryFailed(_id: string, { plan: seen }: { plan: unknown }) {
          if (JSON.stringify(seen) !== JSON.stringify(now())) return Promise.reject(new Refused('plan again'));
          begun.push(seen);
          return Promise.resolve();
        },
      });
      return { shop, begun };
    }

    it('shows its price first, and pays once for a yes that comes twice', async () => {
      const { shop, begun } = await planned(() => plan);
      const asked = await shop.send(await shop.get('/batches/shop'), path);
      expect(asked.text).toContain('40 credits');
      expect(begun).toEqual([]);
      const [one, other] = await Promise.all([shop.send(asked, path), shop.send(asked, path)]);
      expect(one.text).toContain('5 rows are rendered again');
      expect(other.text).toContain('5 rows are rendered again');
      expect(begun).toEqual([plan]);
    });

    it('begins nothing if the price has changed, or if the form does not say what was seen', async () => {
      let now = plan;
      const { shop, begun } = await planned(() => now);
      const asked = await shop.send(await shop.get('/batches/shop'), path);
      now = { ...plan, quote: { ...plan.quote, credits: 50 } };
      expect(await shop.send(asked, path)).toMatchObject({ status: 409 });
      for (const seen of ['null', '{}', '[]', '"', 'nonsense']) {
        const again = await shop.send(await shop.get('/batches/shop'), path);
        expect(await shop.send(again, path, { seen })).toMatchObject({ status: 409 });
      }
      expect(begun).toEqual([]);
      expect(shop.errors).toEqual([]);
    });
  });

  it('pauses, resumes and cancels what runs', async () => {
    const keys = ['a', 'b'];
    await recordRun(store, 'runs', { rows: keys.map((key) => recordedRow(key)), ends: [recordedEnd('a')] });
    const calls: string[] = [];
    const call = (name: string) => (id: string) => Promise.resolve(void calls.push(`${name} ${id}`));
    const actions = { pause: call('pause'), resume: call('resume'), cancelBatch: call('cancel') };
    const runs = await over(store, actions, { ...ENDED, isRunning: true });
    for (const verb of ['pause', 'cancel']) {
      await runs.send(await runs.get('/batches/runs'), `/batches/runs/${verb}`);
    }
    expect(calls).toEqual(['pause runs', 'cancel runs']);
    expect((await (await over(store)).get('/batches/shop')).text).not.toContain('/batches/shop/pause');
  });
});
