import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type AssetRef } from '../../contracts/asset';
import { beginHash, readJson, readText, wrapAssets } from '../../store';
import { createStoreParts, type StoreDrivers, type StoreParts } from '../../store/parts';
import { UnreadableRecord } from '../../store/records';
import { ADDRESS, AT, intent, sent, settled } from '../support/ledger-fixtures';
import { temporaryFolder } from '../support/temporary-folder';

/** A new store of the kind that is tested. */
export interface StoreUnderTest {
  /** Opens it once more, as another worker does. */
  open(): Promise<StoreDrivers>;
  /** Leaves a record that cannot be read, as a failing disk does. */
  spoil(key: string): Promise<void>;
}

const RACERS = 50;
const LARGE_BYTES = 12 * 1024 * 1024;
const PLAIN = { mediaType: 'text/plain', durationSeconds: null, width: null, height: null };
const describePlain = () => Promise.resolve(PLAIN);

/** What every kind of store promises. A new kind runs this unchanged. */
export function storeContract(name: string, newStore: () => Promise<StoreUnderTest>): void {
  describe(`the store in ${name}`, () => {
    let tested: StoreUnderTest;
    let drivers: StoreDrivers;
    let store: StoreParts;
    beforeEach(async () => {
      tested = await newStore();
      drivers = await tested.open();
      store = createStoreParts(drivers);
    });
    /** Lets the racers of five workers do something at the same time. */
    async function race<T>(
      run: (store: StoreParts, racer: number) => Promise<T>,
      racers = RACERS,
    ): Promise<readonly T[]> {
      const workers = await Promise.all(Array.from({ length: 5 }, async () => createStoreParts(await tested.open())));
      return Promise.all(Array.from({ length: racers }, (_, n) => run(workers[n % workers.length] ?? store, n)));
    }

    describe('records', () => {
      it('are read as they were written, also by another worker', async () => {
        const { records } = drivers;
        const value = { text: 'Läuft — "½"\n', list: [1, null, { deep: true }], large: 'x'.repeat(1_000_000) };
        expect(await records.read('a/b')).toBeUndefined();
        expect(await records.create('a/b', value)).toBe(true);
        expect(await records.create('a/b', 'another')).toBe(false);
        expect(await (await tested.open()).records.read('a/b')).toEqual(value);
        await records.replace('a/b', null);
        await records.replace('a/c', 1);
        expect([await records.read('a/b'), await records.read('a/c')]).toEqual([null, 1]);
      });

      it('are created by one of 50 racers', async () => {
        const others = await Promise.all(Array.from({ length: 5 }, () => tested.open()));
        const won = await Promise.all(
          Array.from({ length: RACERS }, async (_, n) => (await others[n % 5]?.records.create('raced', n)) === true),
        );
        expect(won.filter(Boolean)).toHaveLength(1);
        expect(await drivers.records.read('raced')).toBe(won.indexOf(true));
      });

      it('are never seen half replaced', async () => {
        const valueOf = (n: number) => Array.from({ length: 2_000 }, () => n);
        await drivers.records.replace('turned', valueOf(0));
        let left = 20;
        const write = (n: number) => drivers.records.replace('turned', valueOf(n)).finally(() => (left -= 1));
        const writes = Array.from({ length: left }, (_, n) => write(n));
        while (left > 0) {
          const seen = (await drivers.records.read('turned')) as readonly number[];
          expect(seen).toEqual(valueOf(seen[0] ?? -1));
        }
        await Promise.all(writes);
      });

      it('are listed by the names directly below a key, whatever the names look like', async () => {
        const { records } = drivers;
        const keys = ['films/a', 'films/a.json', 'films/b.part', 'films/a/deep/er', 'films/c/x', 'filmsX/no'];
        for (const key of keys) await records.create(key, {});
        // A record and a folder may have one name, which may then be listed twice.
        expect(new Set(await records.list('films'))).toEqual(new Set(['a', 'a.json', 'b.part', 'c']));
        expect(await records.list('films/a')).toEqual(['deep']);
        expect(await records.list('nothing')).toEqual([]);
      });

      it('that cannot be read are told apart from missing ones, and hide no others', async () => {
        const { records } = drivers;
        for (const key of ['films/a', 'films/b']) await records.create(key, key);
        await tested.spoil('films/a');
        await expect(records.read('films/a')).rejects.toThrow(UnreadableRecord);
        expect(await records.create('films/a', {})).toBe(false);
        expect((await records.list('films')).toSorted()).toEqual(['a', 'b']);
        expect(await records.read('films/b')).toBe('films/b');
      });
    });

    describe('assets', () => {
      it('are named by their hash, and equal bytes are one asset', async () => {
        const { assets } = drivers;
        const hash = beginHash();
        hash.add(Buffer.from('light'));
        const asset = await assets.putBytes(Buffer.from('light'), PLAIN);
        expect(asset).toEqual({ ...PLAIN, ...hash.end() });
        expect(await assets.create('take', (part) => writeFile(part, 'light'), describePlain)).toEqual(asset);
        expect(await assets.has(asset)).toBe(true);
        expect(await assets.sizeOf(asset)).toBe(5);
        expect(await readText((await tested.open()).assets, asset)).toBe('light');
        expect(await readJson(assets, await store.putJson({ a: [1] }))).toEqual({ a: [1] });
        const missing = { ...asset, sha256: '0'.repeat(64) };
        expect([await assets.has(missing), await assets.sizeOf(missing)]).toEqual([false, null]);
        await expect(assets.readBytes(missing)).rejects.toThrow();
        await expect(buffer(assets.open(missing))).rejects.toThrow();
      });

      it('may be large, and are streamed', async () => {
        const { assets } = drivers;
        const bytes = Buffer.alloc(LARGE_BYTES, 'dailies ');
        const part = await assets.newPart('take');
        await writeFile(part, bytes);
        const asset = await assets.commitPart(part, describePlain);
        const hash = beginHash();
        let chunks = 0;
        for await (const chunk of assets.open(asset)) {
          hash.add(chunk as Buffer);
          chunks += 1;
        }
        expect(hash.end()).toEqual({ sha256: asset.sha256, sizeBytes: LARGE_BYTES });
        expect(chunks).toBeGreaterThan(10);
        const range = { start: 8 * 1_000_000 + 1, end: 8 * 1_000_000 + 3 };
        expect((await buffer(assets.open(asset, range))).toString()).toBe('ail');
      });

      it('are lent as files, and copied so that an edit does not reach them', async () => {
        const { assets } = drivers;
        const [one, two] = [
          await assets.putBytes(Buffer.from('one'), PLAIN),
          await assets.putBytes(Buffer.from('two'), PLAIN),
        ];
        expect(await assets.withLocalFile(one, (path) => buffer(createReadStream(path)))).toEqual(Buffer.from('one'));
        const both = assets.withLocalFiles([one, two], async (pathOf) =>
          Promise.all([one, two].map(async (asset) => (await readFile(pathOf(asset))).toString())),
        );
        expect(await both).toEqual(['one', 'two']);
        await expect(assets.withLocalFile(one, () => Promise.reject(new Error('no film')))).rejects.toThrow('no film');
        const copy = join(await temporaryFolder(), 'copy');
        await assets.copyTo(one, copy);
        await writeFile(copy, 'edited');
        expect(await readText(assets, one)).toBe('one');
      });

      it('are not made of bytes that are refused or were changed, and no part is left of those', async () => {
        const { assets } = drivers;
        const refuse = () => Promise.reject(new Error('no film'));
        await expect(assets.create('take', (part) => writeFile(part, '<html>'), refuse)).rejects.toThrow('no film');
        const part = await assets.newPart('take');
        await writeFile(part, 'lig');
        const written = { sha256: 'f'.repeat(64), sizeBytes: 5 };
        await expect(assets.commitPart(part, describePlain, written)).rejects.toThrow('its size is 3');
        expect(await assets.leftParts('take')).toEqual([]);
      });

      it('are continued from the largest part that was left', async () => {
        const { assets } = drivers;
        for (const text of ['a', 'abc', 'ab']) await writeFile(await assets.newPart('left'), text);
        await assets.newPart('other');
        expect((await assets.leftParts('left')).map(({ sizeBytes }) => sizeBytes)).toEqual([3, 2, 1]);
      });

      it('are removed, unless they were put again since', async () => {
        const { assets } = drivers;
        const asset = await assets.putBytes(Buffer.from('light'), PLAIN);
        const later = new Date(Date.now() + 60_000);
        expect(await assets.remove(asset, new Date(Date.now() - 60_000))).toBe(false);
        expect(await assets.remove(asset, later)).toBe(true);
        expect([await assets.has(asset), await assets.remove(asset, later)]).toEqual([false, false]);
      });
    });

    describe('parts', () => {
      it('let one of 50 racers send a take, and give all of them one choice', async () => {
        await store.ledger.intend(ADDRESS, intent());
        const maySend = await race(({ ledger }) => ledger.beginSending(ADDRESS, 1, sent()));
        expect(maySend.filter(Boolean)).toHaveLength(1);
        const address = { productionId: 'film', shotId: 'dawn', context: 'c'.repeat(64) };
        const choices = await race(({ directing }, n) =>
          directing.chooseFirst(address, { takeKey: 'a'.repeat(64), take: n + 1, by: 'first', approved: false }),
        );
        expect(new Set(choices.map(({ take }) => take)).size).toBe(1);
      });

      it('number the runs of racers without a gap', async () => {
        const numbers = await race(({ runs }, n) => runs.number('night', `night-${n}`), 6);
        expect(numbers.toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
      });

      it("lose none of 10 racers' changes of limits", async () => {
        const limitsOf = (parts: StoreParts) => parts.account('sandbox').limits;
        await race(
          (worker, n) =>
            limitsOf(worker).change(({ account, models }) => ({
              account,
              models: { ...models, [`model-${n}`]: { inFlight: n + 1 } },
            })),
          10,
        );
        expect(Object.keys((await limitsOf(store).read()).models)).toHaveLength(10);
      });

      it('archive a history again if its record is broken', async () => {
        const run = { workflowId: 'production/film', runId: 'run-1' };
        await store.histories.put('film', run, { events: [] });
        await tested.spoil('productions/film/histories/run-1');
        expect(await store.histories.has('film', 'run-1')).toBe(false);
        await store.histories.put('film', run, { events: [1] });
        expect(await store.histories.has('film', 'run-1')).toBe(true);
        const [archived] = await store.histories.list('film');
        expect(await store.histories.read(archived!)).toEqual({ events: [1] });
        await store.histories.put('film', run, { events: [2] });
        expect(await store.histories.list('film')).toEqual([archived]);
      });

      it('are stopped by a broken record only where it stands', async () => {
        for (const take of [1, 2]) await store.ledger.intend({ ...ADDRESS, take }, intent());
        await tested.spoil(`ledger/${ADDRESS.productionId}/${ADDRESS.shotId}/1/intent`);
        await expect(store.ledger.take({ ...ADDRESS, take: 1 })).rejects.toThrow(UnreadableRecord);
        expect(await store.ledger.take({ ...ADDRESS, take: 2 })).toMatchObject({ take: 2 });
        expect(await store.ledger.numbers(ADDRESS)).toEqual([1, 2]);
      });

      it.each(STORIES)('end %s after a crash between any two steps as without one', async (_what, story) => {
        const whole = createStoreParts(await (await newStore()).open());
        await story.tell(whole);
        const wanted = await story.look(whole);
        let steps = 0;
        for (const moment of ['before', 'after'] as const) {
          for (let at = 1; ; at += 1) {
            const broken = await newStore();
            const death = dying(await broken.open(), at, moment);
            await story.tell(createStoreParts(death.drivers)).catch(() => undefined);
            if (!death.hasDied()) break;
            steps += 1;
            const next = createStoreParts(await broken.open());
            await story.tell(next);
            expect({ moment, at, found: await story.look(next) }).toEqual({ moment, at, found: wanted });
          }
        }
        expect(steps).toBeGreaterThan(0);
      });
    });
  });
}

/** What a process does step by step, and does again when it is started anew. */
interface Story {
  tell(store: StoreParts): Promise<unknown>;
  look(store: StoreParts): Promise<unknown>;
}

const FORK = { of: 'film', from: null, account: 'sandbox', at: AT };
const RUN = { schedule: 'night', productionId: 'night-1', scheduledAt: AT, by: 'schedule', account: 'sandbox', at: AT };

const STORIES: readonly [string, Story][] = [
  [
    'a take',
    {
      async tell({ ledger, assets }) {
        await ledger.intend(ADDRESS, intent());
        await ledger.beginSending(ADDRESS, 1, sent(Date.parse(AT)));
        await ledger.endSending(ADDRESS, 1, { kind: 'accepted', record: { taskId: 'task-1', at: AT } });
        await ledger.settle(ADDRESS, settled('completed'));
        const asset = await assets.putBytes(Buffer.from('clip'), PLAIN);
        await ledger.noteOutput(ADDRESS, 'task-1', { asset, firstFrame: null, lastFrame: null, warnings: [] });
      },
      async look({ ledger, assets }) {
        const { output, ...take } = (await ledger.take(ADDRESS)) ?? {};
        return {
          take: JSON.stringify(take),
          sha256: output?.asset.sha256,
          isThere: output && (await assets.has(output.asset)),
        };
      },
    },
  ],
  [
    'the begin of a scheduled run',
    {
      async tell({ runs, productions, ...store }) {
        if (!(await runs.claim('night', 'night-1'))) throw new Error('the id is taken');
        const number = await runs.number('night', 'night-1');
        const production = await store.putJson({ title: 'Night' });
        const common = { ...RUN, by: 'schedule' as const, number, template: production };
        await runs.record({ kind: 'production', ...common, production, plan: production });
        await productions.begin('night-1', { renderId: 'night-1', production, account: 'sandbox', at: AT });
      },
      look: async ({ runs, productions }) => [await runs.byId('night-1'), await productions.begun('night-1')],
    },
  ],
  [
    'a fork',
    {
      async tell({ productions }) {
        if (!(await productions.beginFork('other', FORK))) {
          if ((await productions.fork('other'))?.done !== true) throw new Error('the id is taken');
        }
        await productions.endFork('other', FORK);
      },
      look: ({ productions }) => productions.fork('other'),
    },
  ],
  [
    'a pause',
    {
      async tell({ holds }) {
        await holds.hold('film', 'it was interrupted');
        await holds.pause('film', 'a person asked');
        await holds.release('film');
      },
      look: async ({ holds }) => ({ ...(await holds.inForce('film')), since: '' }),
    },
  ],
];

/** Drivers of a process that dies at its `at`th write, before or after the write takes effect. */
function dying(
  { records, assets, scratch }: StoreDrivers,
  at: number,
  moment: 'before' | 'after',
): { readonly drivers: StoreDrivers; hasDied(): boolean } {
  let writes = 0;
  const step = async <T>(write: () => Promise<T>): Promise<T> => {
    writes += 1;
    if (writes > at || (writes === at && moment === 'before')) throw new Error('killed');
    const result = await write();
    if (writes === at) throw new Error('killed');
    return result;
  };
  return {
    hasDied: () => writes >= at,
    drivers: {
      scratch,
      records: {
        ...records,
        create: (key, value) => step(() => records.create(key, value)),
        replace: (key, value) => step(() => records.replace(key, value)),
      },
      assets: wrapAssets(assets, {
        putBytes: (bytes, description): Promise<AssetRef> => step(() => assets.putBytes(bytes, description)),
      }),
    },
  };
}
