import { utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openStore } from '../../../store';
import { countingReads } from '../../support/batch-records';
import { ADDRESS, AT, intent, sent, settled } from '../../support/ledger-fixtures';
import { recordsOf, withRecords } from '../../support/store-records';
import { temporaryFolder } from '../../support/temporary-folder';
import { UnreadableRecord } from '../../../store/records';
import { takeFolder } from '../../../store/ledger/take-address';

const ASSET = {
  ...{ sha256: 'c'.repeat(64), sizeBytes: 3, mediaType: 'image/png' },
  ...{ durationSeconds: null, width: 4, height: 3 },
};
const OUTPUT = { asset: ASSET, firstFrame: null, lastFrame: null, warnings: [] };

describe('a ledger that remembers', () => {
  async function completedTake() {
    const { store, reads } = countingReads(await openStore(await temporaryFolder()));
    const { ledger } = store;
    await ledger.intend(ADDRESS, intent());
    await ledger.beginSending(ADDRESS, 1, sent());
    await ledger.endSending(ADDRESS, 1, { kind: 'accepted', record: { taskId: 'task-1', at: AT } });
    await ledger.settle(ADDRESS, settled('completed'));
    await ledger.noteOutput(ADDRESS, 'task-1', OUTPUT);
    /** As if nothing had changed for a minute. */
    const wait = async (): Promise<void> => {
      const folder = join(store.folder, takeFolder(ADDRESS));
      const then = new Date(Date.now() - 60_000);
      for (const path of [folder, dirname(folder)]) await utimes(path, then, then);
    };
    return { ledger, store, wait, recordsRead: () => reads().records };
  }

  it('reads nothing of a take again that has not changed for a while', async () => {
    const { ledger, recordsRead, wait } = await completedTake();
    await wait();
    const view = ledger.remembering();
    const first = [await view.take(ADDRESS), await view.numbers(ADDRESS)];
    expect(first).toEqual([await ledger.take(ADDRESS), [ADDRESS.take]]);
    const before = recordsRead();
    expect([await view.take(ADDRESS), await view.numbers(ADDRESS)]).toEqual(first);
    expect(recordsRead()).toBe(before);
  });

  it('finds another take of a shot', async () => {
    const { ledger, wait } = await completedTake();
    await wait();
    const view = ledger.remembering();
    expect(await view.numbers(ADDRESS)).toEqual([ADDRESS.take]);
    await ledger.intend({ ...ADDRESS, take: ADDRESS.take + 1 }, intent());
    expect(await view.numbers(ADDRESS)).toEqual([ADDRESS.take, ADDRESS.take + 1]);
  });

  it('reads of a take that has just ended only its output again', async () => {
    const { ledger, recordsRead } = await completedTake();
    const view = ledger.remembering();
    expect(await view.take(ADDRESS)).toEqual(await ledger.take(ADDRESS));
    const before = recordsRead();
    expect((await view.take(ADDRESS))?.settled?.credits).toBe(12);
    expect(recordsRead()).toBe(before + 1);
  });

  it.each([
    [
      'an output that replaced another',
      (ledger) => ledger.noteOutput(ADDRESS, 'task-1', { ...OUTPUT, warnings: ['w'] }),
    ],
    ['a decision', (ledger) => ledger.decide(ADDRESS, 1, { kind: 'skip', by: 'person', afterSending: 1, at: AT })],
    ['a second sending', (ledger) => ledger.beginSending(ADDRESS, 2, sent())],
    ['a prune', (ledger) => ledger.notePruned(ADDRESS)],
  ] satisfies [string, (ledger: Awaited<ReturnType<typeof completedTake>>['ledger']) => Promise<unknown>][])(
    'shows %s',
    async (_name, change) => {
      const { ledger, wait } = await completedTake();
      await wait();
      const view = ledger.remembering();
      const before = await view.take(ADDRESS);
      await change(ledger);
      const after = await view.take(ADDRESS);
      expect(after).not.toEqual(before);
      expect(after).toEqual(await ledger.take(ADDRESS));
    },
  );

  it('reads a record again that could not be read', async () => {
    const { store } = await completedTake();
    let isBroken = true;
    const { ledger } = withRecords(store, {
      async read(key) {
        if (isBroken && key.endsWith('/sent-1')) throw new UnreadableRecord('no disk');
        return recordsOf(store).read(key);
      },
    });
    const view = ledger.remembering();
    expect((await view.take(ADDRESS))?.sendings[0]?.sent).toBeNull();
    isBroken = false;
    expect((await view.take(ADDRESS))?.sendings[0]?.sent?.at).toBe(AT);
  });
});
