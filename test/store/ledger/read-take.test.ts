import { openStore } from '../../../store';
import { countingReads } from '../../support/batch-records';
import { ADDRESS, AT, intent, sent, settled } from '../../support/ledger-fixtures';
import { recordsOf, withRecords } from '../../support/store-records';
import { temporaryFolder } from '../../support/temporary-folder';
import { UnreadableRecord } from '../../../store/records';

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
    return { ledger, store, recordsRead: () => reads().records };
  }

  it('reads of an ended take only its output again', async () => {
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
      const { ledger } = await completedTake();
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
