import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore, standing, type Store } from '../../store';
import { ADDRESS, AT, intent, sent, settled } from '../support/ledger-fixtures';
import { temporaryFolder } from '../support/temporary-folder';

describe('ledger', () => {
  let store: Store;

  beforeEach(async () => {
    store = await openStore(await temporaryFolder());
  });

  async function standsAt(): Promise<string> {
    const history = await store.ledger.take(ADDRESS);
    return history === undefined ? 'unknown' : standing(history).is;
  }

  it('walks a take from intent to settled', async () => {
    expect(await standsAt()).toBe('unknown');
    await store.ledger.intend(ADDRESS, intent());
    expect(await standsAt()).toBe('sendable');
    await store.ledger.beginSending(ADDRESS, 1, sent());
    expect(await standsAt()).toBe('sending');
    await store.ledger.endSending(ADDRESS, 1, { kind: 'accepted', record: { taskId: 'task-1', at: AT } });
    expect(await standsAt()).toBe('accepted');
    await store.ledger.settle(ADDRESS, settled('completed'));
    expect(await standsAt()).toBe('settled');
  });

  it('gives the right to send to one of many', async () => {
    await store.ledger.intend(ADDRESS, intent());
    const rights = await Promise.all(Array.from({ length: 20 }, () => store.ledger.beginSending(ADDRESS, 1, sent())));
    expect(rights.filter(Boolean)).toHaveLength(1);
  });

  it('gives a take number to one of many', async () => {
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store.ledger.intend(ADDRESS, intent({ renderId: `render-${index}` }))),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('never writes a record over another', async () => {
    await store.ledger.intend(ADDRESS, intent());
    await store.ledger.beginSending(ADDRESS, 1, sent());
    const accept = (taskId: string): Promise<boolean> =>
      store.ledger.endSending(ADDRESS, 1, { kind: 'accepted', record: { taskId, at: AT } });
    expect(await accept('first')).toBe(true);
    expect(await accept('second')).toBe(false);
    expect((await store.ledger.take(ADDRESS))?.sendings[0]?.accepted?.taskId).toBe('first');
  });

  it('lets an acceptance that arrives late override unclear', async () => {
    await store.ledger.intend(ADDRESS, intent());
    await store.ledger.beginSending(ADDRESS, 1, sent());
    await store.ledger.endSending(ADDRESS, 1, { kind: 'unclear', record: { reason: 'no answer', at: AT } });
    expect(await standsAt()).toBe('unclear');
    await store.ledger.endSending(ADDRESS, 1, { kind: 'accepted', record: { taskId: 'task-1', at: AT } });
    expect(await standsAt()).toBe('accepted');
  });

  it('takes an answer for an acceptance before it is booked, unless it was found to be another take’s', async () => {
    await store.ledger.intend(ADDRESS, intent());
    await store.ledger.beginSending(ADDRESS, 1, sent(0));
    const answered = { taskId: 'task-1', ended: null, at: AT };
    await store.ledger.endSending(ADDRESS, 1, { kind: 'answered', record: answered });
    expect(standing((await store.ledger.take(ADDRESS))!)).toMatchObject({ is: 'accepted', taskId: 'task-1' });
    await store.ledger.endSending(ADDRESS, 1, { kind: 'unclear', record: { reason: 'of another', at: AT } });
    expect(await standsAt()).toBe('unclear');
  });

  it('may send again only after a refusal for now', async () => {
    await store.ledger.intend(ADDRESS, intent());
    await store.ledger.beginSending(ADDRESS, 1, sent());
    await store.ledger.endSending(ADDRESS, 1, { kind: 'refused', record: { again: true, reason: '429', at: AT } });
    expect(standing((await store.ledger.take(ADDRESS))!)).toEqual({ is: 'sendable', n: 2 });
    await store.ledger.beginSending(ADDRESS, 2, sent());
    await store.ledger.endSending(ADDRESS, 2, { kind: 'refused', record: { again: false, reason: '400', at: AT } });
    expect(await standsAt()).toBe('refused');
  });

  it('takes a sent record that a crash cut short for one that was sent', async () => {
    await store.ledger.intend(ADDRESS, intent());
    await writeFile(join(store.folder, 'ledger/film/dawn/1/sent-1.json'), '{"at": "20');
    expect(await standsAt()).toBe('sending');
    expect(await store.ledger.beginSending(ADDRESS, 1, sent())).toBe(false);
  });

  it('lists the takes of a shot by number, past nine', async () => {
    for (let take = 1; take <= 11; take += 1)
      await store.ledger.intend({ ...ADDRESS, take }, intent({ count: take - 1 }));
    const takes = await store.ledger.takes('film', 'dawn');
    expect(takes.map(({ take }) => take)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('leaves no part files behind', async () => {
    await store.ledger.intend(ADDRESS, intent());
    await store.ledger.intend(ADDRESS, intent());
    expect(await readdir(join(store.folder, 'ledger/film/dawn/1'))).toEqual(['intent.json']);
  });

  it('never lets an id lead out of its folder', async () => {
    await expect(store.ledger.takes('..', 'dawn')).rejects.toThrow('cannot be part');
    await expect(store.ledger.intend({ ...ADDRESS, shotId: 'a/../../b' }, intent())).rejects.toThrow('cannot be part');
  });
});
