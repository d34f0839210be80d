import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  openStore,
  type SendingEnd,
  ledgerState,
  type FolderStore,
  TakeMismatch,
  taskIdOf,
  type WrittenTake,
} from '../../../store';
import { openUnclear } from '../../../client/records/unclear-submit';
import { ADDRESS, AT, intent, sent, settled } from '../../support/ledger-fixtures';
import { temporaryFolder } from '../../support/temporary-folder';
import { recordsOf } from '../../support/store-records';

const ASSET = {
  sha256: 'd'.repeat(64),
  sizeBytes: 1,
  mediaType: 'video/mp4',
  durationSeconds: 4,
  width: 16,
  height: 9,
};

describe('ledger', () => {
  let store: FolderStore;

  beforeEach(async () => {
    store = await openStore(await temporaryFolder());
  });

  async function standsAt(): Promise<string> {
    const history = await store.ledger.take(ADDRESS);
    return history === undefined ? 'unknown' : ledgerState(history).is;
  }

  it('records a take from intent to settled', async () => {
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

  it('gives the right to send to one of many callers', async () => {
    await store.ledger.intend(ADDRESS, intent());
    const rights = await Promise.all(Array.from({ length: 20 }, () => store.ledger.beginSending(ADDRESS, 1, sent())));
    expect(rights.filter(Boolean)).toHaveLength(1);
  });

  it('gives a take number to one of many callers', async () => {
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store.ledger.intend(ADDRESS, intent({ renderId: `render-${index}` }))),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('gives the number of a decision to one of many callers', async () => {
    await store.ledger.intend(ADDRESS, intent());
    const decide = (by: 'person' | 'policy') =>
      store.ledger.decide(ADDRESS, 1, { kind: 'resubmit', by, afterSending: 1, at: AT });
    const noted = await Promise.all(Array.from({ length: 20 }, (_, index) => decide(index < 10 ? 'person' : 'policy')));
    expect(noted.filter(Boolean)).toHaveLength(1);
  });

  describe('for a take that it does not have', () => {
    const output = { asset: ASSET, firstFrame: null, lastFrame: null, warnings: [] };
    const decision = { kind: 'wait', by: 'person', afterSending: 0, at: AT } as const;
    const WRITES: [string, (take: WrittenTake) => Promise<unknown>][] = [
      ['a sending', (take) => store.ledger.beginSending(take, 1, sent())],
      [
        'what came of a sending',
        (take) => store.ledger.endSending(take, 1, { kind: 'accepted', record: { taskId: 'task-1', at: AT } }),
      ],
      ['a decision', (take) => store.ledger.decide(take, 1, decision)],
      ['the end of a task', (take) => store.ledger.settle(take, settled('completed'))],
      ['an output', (take) => store.ledger.noteOutput(take, 'task-1', output)],
      ['a prune', (take) => store.ledger.notePruned(take)],
    ];

    it.each(WRITES)('does not accept %s: the folder is still free', async (_what, write) => {
      await expect(write({ ...ADDRESS, takeKey: intent().takeKey })).rejects.toThrow(TakeMismatch);
      await expect(write(ADDRESS)).rejects.toThrow(TakeMismatch);
      expect(await standsAt()).toBe('unknown');
    });

    it.each(WRITES)('does not accept %s: another take has the number', async (_what, write) => {
      await store.ledger.intend(ADDRESS, intent());
      const before = await store.ledger.take(ADDRESS);
      await expect(write({ ...ADDRESS, takeKey: 'c'.repeat(64) })).rejects.toThrow(TakeMismatch);
      expect(await store.ledger.take(ADDRESS)).toEqual(before);
      await write({ ...ADDRESS, takeKey: intent().takeKey });
      expect(await readdir(join(store.folder, 'ledger/film/dawn/1'))).toHaveLength(2);
    });

    it('learns no price of another take', async () => {
      await store.ledger.intend(ADDRESS, intent());
      const of = { ...ADDRESS, takeKey: 'c'.repeat(64) };
      await expect(store.ledger.settle(of, settled('completed'))).rejects.toThrow(TakeMismatch);
      expect(await recordsOf(store).list('prices')).toEqual([]);
    });
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

  it('treats an answer as an acceptance before it is booked, unless it is known to be another take’s', async () => {
    await store.ledger.intend(ADDRESS, intent());
    await store.ledger.beginSending(ADDRESS, 1, sent(0));
    const answered = { taskId: 'task-1', ended: null, at: AT };
    await store.ledger.endSending(ADDRESS, 1, { kind: 'answered', record: answered });
    expect(ledgerState((await store.ledger.take(ADDRESS))!)).toMatchObject({ is: 'accepted', taskId: 'task-1' });
    await store.ledger.endSending(ADDRESS, 1, { kind: 'unclear', record: { reason: 'of another', at: AT } });
    expect(await standsAt()).toBe('unclear');
  });

  it('names the paid task, even if another clip replaces its output', async () => {
    const taskId = async (): Promise<string | null> => taskIdOf((await store.ledger.take(ADDRESS))!);
    await store.ledger.intend(ADDRESS, intent());
    await store.ledger.beginSending(ADDRESS, 1, sent());
    expect(await taskId()).toBeNull();
    const answered = { taskId: 'task-1', ended: null, at: AT };
    await store.ledger.endSending(ADDRESS, 1, { kind: 'answered', record: answered });
    expect(await taskId()).toBe('task-1');
    const asset = await store.putJson('a clip of one’s own');
    const use = { kind: 'use', by: 'person', afterSending: 1, at: AT, asset } as const;
    await store.ledger.decide(ADDRESS, 1, use);
    expect(await standsAt()).toBe('used');
    expect(await taskId()).toBe('task-1');
  });

  describe('a take that was resent while it was unclear, and then refused for good', () => {
    const resubmit = (by: 'person' | 'policy', afterSending: number) =>
      ({ kind: 'resubmit', by, parkedFor: 'unclear', afterSending, at: AT }) as const;
    async function sentAgain(by: 'person' | 'policy', refused: object = {}): Promise<void> {
      await store.ledger.intend(ADDRESS, intent());
      await store.ledger.beginSending(ADDRESS, 1, sent());
      await store.ledger.endSending(ADDRESS, 1, { kind: 'unclear', record: { reason: 'no answer', at: AT } });
      await store.ledger.decide(ADDRESS, 1, resubmit(by, 1));
      await store.ledger.beginSending(ADDRESS, 2, sent());
      const record = { again: false, reason: 'answered 422', at: AT, ...refused };
      await store.ledger.endSending(ADDRESS, 2, { kind: 'refused', record });
    }

    it.each([
      ['by the file’s rule', 'policy', {}],
      ['by a person, where the gateway says that it is in conflict', 'person', { kind: 'conflict' }],
    ] as const)('is still unclear %s: the first sending may be paid for', async (_how, by, refused) => {
      await sentAgain(by, refused);
      const history = (await store.ledger.take(ADDRESS))!;
      const reason = 'no answer; sent again, it was refused: answered 422';
      expect(ledgerState(history)).toEqual({ is: 'unclear', n: 1, reason, since: AT });
      expect(openUnclear(history)).toMatchObject({ n: 1, reason });
      await store.ledger.decide(ADDRESS, 2, resubmit('person', 2));
      expect(ledgerState((await store.ledger.take(ADDRESS))!)).toEqual({ is: 'sendable', n: 3 });
      await store.ledger.endSending(ADDRESS, 1, { kind: 'accepted', record: { taskId: 'task-1', at: AT } });
      expect(await standsAt()).toBe('accepted');
    });

    it('is refused if a person has checked and decided to resend it', async () => {
      await sentAgain('person');
      expect(await standsAt()).toBe('refused');
    });
  });

  it('may send again only after a refusal for now', async () => {
    await store.ledger.intend(ADDRESS, intent());
    await store.ledger.beginSending(ADDRESS, 1, sent());
    await store.ledger.endSending(ADDRESS, 1, { kind: 'refused', record: { again: true, reason: '429', at: AT } });
    expect(ledgerState((await store.ledger.take(ADDRESS))!)).toEqual({ is: 'sendable', n: 2 });
    await store.ledger.beginSending(ADDRESS, 2, sent());
    await store.ledger.endSending(ADDRESS, 2, { kind: 'refused', record: { again: false, reason: '400', at: AT } });
    expect(await standsAt()).toBe('refused');
  });

  it('treats a truncated sent record as sent', async () => {
    await store.ledger.intend(ADDRESS, intent());
    await writeFile(join(store.folder, 'ledger/film/dawn/1/sent-1.json'), '{"at": "20');
    expect(await standsAt()).toBe('sending');
    expect(await store.ledger.beginSending(ADDRESS, 1, sent())).toBe(false);
  });

  it.each([
    ['accepted', { taskId: 'task-1', at: AT }, 'accepted'],
    ['answered', { taskId: 'task-1', ended: null, at: AT }, 'accepted'],
    ['unclear', { reason: 'no answer', at: AT }, 'unclear'],
    ['refused', { again: false, reason: '400', at: AT }, 'refused'],
    ['also-accepted', { taskId: 'task-1', at: AT }, 'sending'],
  ] as const)('counts a sending with a lost record as sent because of its outcome: %s', async (kind, record, is) => {
    await store.ledger.intend(ADDRESS, intent());
    await store.ledger.endSending(ADDRESS, 1, { kind, record } as SendingEnd);
    expect(await standsAt()).toBe(is);
    expect((await store.ledger.take(ADDRESS))?.sendings).toMatchObject([{ n: 1, sent: null }]);
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

  it('never lets an id escape its folder', async () => {
    await expect(store.ledger.takes('..', 'dawn')).rejects.toThrow('cannot be part');
    await expect(store.ledger.intend({ ...ADDRESS, shotId: 'a/../../b' }, intent())).rejects.toThrow('cannot be part');
  });
});
