import { decideInLedger, type FindTask } from '../../../client/records/decide-in-ledger';
import { type Decision } from '../../../contracts/render/decision';
import { type FolderStore, isSkipped, ledgerState } from '../../../store';
import { address, book, newStore } from '../../books/store-with-takes';
import { AT, sent } from '../../support/ledger-fixtures';

const DAWN = address('dawn');

describe('a decision that no workflow waits for', () => {
  let store: FolderStore;
  const known: FindTask = () => Promise.resolve({ model: null });
  const decide = (
    decision: Decision,
    take: number | null = null,
    { account = 'sandbox', seen = ['1/1'], findTask = known } = {},
  ): Promise<boolean> => decideInLedger(store, account, DAWN, { decision, take, seen, findTask });
  const state = async (): Promise<unknown> => ledgerState((await store.ledger.take(DAWN))!);

  beforeEach(async () => {
    store = await newStore();
  });

  it('lets an unclear take be sent again, once', async () => {
    await book(store, DAWN, 'unclear');
    expect(await decide({ kind: 'resubmit' })).toBe(true);
    expect(await state()).toEqual({ is: 'sendable', n: 2 });
    expect(await decide({ kind: 'resubmit' })).toBe(false);
    expect(await decide({ kind: 'adopt', taskId: 'task-1' })).toBe(false);
  });

  it('assigns a task to an unclear take, unless another take has the task', async () => {
    await book(store, DAWN, 'unclear');
    const noon = { account: 'sandbox', taskId: 'task-noon', model: {} };
    await store.ledger.claimTask(address('noon'), noon);
    await expect(decide({ kind: 'adopt', taskId: 'task-noon' })).rejects.toThrow(
      'task task-noon belongs to take 1 of "noon" in "film"',
    );
    expect(await state()).toMatchObject({ is: 'unclear' });
    expect(await decide({ kind: 'adopt', taskId: 'task-dawn' })).toBe(true);
    expect(await state()).toMatchObject({ is: 'accepted', taskId: 'task-dawn' });
    // A second try, for example after the first was killed, finds the task adopted.
    expect(await decide({ kind: 'adopt', taskId: 'task-dawn' })).toBe(true);
    expect(await decide({ kind: 'adopt', taskId: 'task-2' })).toBe(false);
  });

  it.each<[string, FindTask]>([
    ['does not know a task task-dawn', () => Promise.resolve('unknown')],
    ['task task-dawn was made by alpha, not by', () => Promise.resolve({ model: 'alpha' })],
    ['cannot be asked about task task-dawn now: Error: 502', () => Promise.reject(new Error('502'))],
  ])('adopts no task if the gateway %s', async (words, findTask) => {
    await book(store, DAWN, 'unclear');
    await expect(decide({ kind: 'adopt', taskId: 'task-dawn' }, null, { findTask })).rejects.toThrow(words);
    expect(await state()).toMatchObject({ is: 'unclear' });
    expect(await store.ledger.ownerOf({ account: 'sandbox', taskId: 'task-dawn', model: {} })).toBeUndefined();
  });

  it('is not about a submit that the person did not know of', async () => {
    await book(store, DAWN, 'unclear');
    for (const kind of ['resubmit', 'skip'] as const) expect(await decide({ kind }, 1, { seen: [] })).toBe(false);
    expect(await state()).toMatchObject({ is: 'unclear' });
  });

  it('does not pay again if a late answer waits to be recorded', async () => {
    await book(store, DAWN, 'unclear');
    await store.ledger.endSending(DAWN, 1, { kind: 'answered', record: { taskId: 'task-1', ended: null, at: AT } });
    await expect(decide({ kind: 'resubmit' })).rejects.toThrow(
      'the gateway accepted the take as task task-1; render again',
    );
    // If another take has the task, the answer is not this take's.
    await store.ledger.claimTask(address('noon'), { account: 'sandbox', taskId: 'task-1', model: {} });
    expect(await decide({ kind: 'resubmit' })).toBe(true);
  });

  it('concerns the sending whose sender died, and leaves the take out', async () => {
    await book(store, DAWN, 'abandoned');
    expect(await decide({ kind: 'skip' })).toBe(true);
    expect(await state()).toMatchObject({ is: 'unclear', n: 1 });
    expect(isSkipped((await store.ledger.take(DAWN))!)).toBe(true);
  });

  it.each([
    [{ kind: 'resubmit' }, { is: 'sendable', n: 3 }],
    [
      { kind: 'adopt', taskId: 'task-dawn' },
      { is: 'accepted', taskId: 'task-dawn' },
    ],
  ] as const)('holds for a take that was unclear, sent again by the policy and then refused: %j', async (one, then) => {
    await book(store, DAWN, 'unclear');
    await store.ledger.decide(DAWN, 1, { kind: 'resubmit', by: 'policy', afterSending: 1, at: AT });
    await store.ledger.beginSending(DAWN, 2, sent());
    await store.ledger.endSending(DAWN, 2, { kind: 'refused', record: { reason: '422', again: false, at: AT } });
    expect(await state()).toMatchObject({ is: 'unclear', n: 1 });
    expect(await decide(one)).toBe(true);
    expect(await state()).toMatchObject(then);
  });

  it.each(['accepted', 'settled', 'on the wire', 'intended'] as const)(
    'is not possible for a take that is not unclear: %s',
    async (standing) => {
      await book(store, DAWN, standing);
      for (const kind of ['skip', 'resubmit'] as const) expect(await decide({ kind })).toBe(false);
      expect(await decide({ kind: 'adopt', taskId: 'task-1' })).toBe(false);
      expect((await store.ledger.take(DAWN))!.decisions).toEqual([]);
    },
  );

  it('needs the number of the take if there are several, and the account that pays', async () => {
    await book(store, DAWN, 'unclear');
    expect(await decide({ kind: 'skip' }, null, { account: 'another' })).toBe(false);
    await book(store, address('dawn', 2), 'settled');
    expect(await decide({ kind: 'skip' })).toBe(false);
    expect(await decide({ kind: 'skip' }, 1)).toBe(true);
  });

  it('does not send a take of an earlier request again, which no render asks for', async () => {
    await book(store, DAWN, 'unclear');
    await book(store, address('dawn', 2), 'settled');
    expect(await decide({ kind: 'resubmit' }, 1)).toBe(false);
    expect(await decide({ kind: 'adopt', taskId: 'task-dawn' }, 1)).toBe(false);
    expect(await decide({ kind: 'skip' }, 1)).toBe(true);
  });
});
