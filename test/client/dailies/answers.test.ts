import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { createAnswers } from '../../../client/dailies/answers';
import { Refused } from '../../../client/wording/refused';
import { NOT_AWAITED, NOT_PARKED } from '../../../contracts/render/decision';
import { type FolderStore } from '../../../store';
import { address, book, newStore } from '../../books/store-with-takes';
import { AT, sent } from '../../support/ledger-fixtures';

/** A shot whose workflow takes the answer from a number of times on that it is sent; undefined for never. */
function shot(takenFrom: number | undefined): { readonly temporal: Client; readonly sent: () => number } {
  let count = 0;
  const executeUpdate = (): Promise<void> => {
    count += 1;
    if (takenFrom !== undefined && count >= takenFrom) return Promise.resolve();
    const refusal = ApplicationFailure.nonRetryable('the shot is not parked', 'DecisionRefused', NOT_PARKED);
    return Promise.reject(new WorkflowUpdateFailedError('the update failed', refusal));
  };
  const temporal = { workflow: { getHandle: () => ({ executeUpdate }) } } as unknown as Client;
  return { temporal, sent: () => count };
}

/** The store, in which something happens after the takes were read for the first time. */
function changing({ ledger, ...store }: FolderStore, change: () => Promise<unknown>): FolderStore {
  let reads = 0;
  const take: typeof ledger.take = async (place) => {
    const history = await ledger.take(place);
    reads += 1;
    if (reads === 1) await change();
    return history;
  };
  return { ...store, ledger: { ...ledger, take } };
}

describe('an answer to an unclear shot', () => {
  const dawn = address('dawn');
  let store: FolderStore;
  beforeEach(async () => {
    store = await newStore();
  });

  const resubmit = (temporal: Client, through = store): Promise<unknown> =>
    createAnswers(temporal, through, 'sandbox').resolve('film', 'dawn', { kind: 'resubmit' });

  it('is sent again until the shot is parked', async () => {
    await book(store, dawn, 'abandoned');
    const { temporal, sent: times } = shot(2);
    expect(await resubmit(temporal)).toEqual({ goesOn: true });
    expect(times()).toBe(2);
  });

  it('is refused at once if the ledger has no unclear submit', async () => {
    await book(store, dawn, 'accepted');
    const { temporal, sent: times } = shot(2);
    await expect(resubmit(temporal)).rejects.toThrow(Refused);
    expect(times()).toBe(1);
  });

  it('is never given to the next submit, which another answer has made and which is unclear too', async () => {
    await book(store, dawn, 'abandoned');
    const answeredByAnother = changing(store, async () => {
      await store.ledger.decide(dawn, 1, { kind: 'resubmit', by: 'person', afterSending: 1, at: AT });
      await store.ledger.beginSending(dawn, 2, sent());
      await store.ledger.endSending(dawn, 2, { kind: 'unclear', record: { reason: 'a reset', at: AT } });
    });
    const { temporal, sent: times } = shot(2);
    await expect(resubmit(temporal, answeredByAnother)).rejects.toThrow(Refused);
    expect(times()).toBe(1);
  });
});

it('is recorded for the next render if the shot has chosen another take and waits for no more decisions', async () => {
  const store = await newStore();
  await book(store, address('dawn'), 'unclear');
  const refusal = ApplicationFailure.nonRetryable('no more decisions', 'DecisionRefused', NOT_AWAITED);
  const executeUpdate = () => Promise.reject(new WorkflowUpdateFailedError('the update failed', refusal));
  const temporal = { workflow: { getHandle: () => ({ executeUpdate }) } } as unknown as Client;
  const answers = createAnswers(temporal, store, 'sandbox');
  expect(await answers.resolve('film', 'dawn', { kind: 'resubmit' })).toEqual({ goesOn: false });
  expect((await store.ledger.take(address('dawn')))?.decisions).toMatchObject([{ kind: 'resubmit', afterSending: 1 }]);
  await expect(answers.resolve('film', 'dawn', { kind: 'resubmit' })).rejects.toThrow('no more decisions');
});

describe('a skip of an unclear take that no workflow waits for', () => {
  const temporal = {
    workflow: {
      getHandle: () => ({
        executeUpdate: () => Promise.reject(new WorkflowNotFoundError('no workflow', 'id', undefined)),
      }),
    },
  } as unknown as Client;
  let store: FolderStore;
  beforeEach(async () => {
    store = await newStore();
  });

  const skip = (take: number | null = null): Promise<unknown> =>
    createAnswers(temporal, store, 'sandbox').resolve('film', 'dawn', { kind: 'skip' }, take);
  const decisions = async (take: number) => (await store.ledger.take(address('dawn', take)))?.decisions ?? [];

  it.each(['unclear', 'abandoned'] as const)('is recorded once if the take is %s', async (standing) => {
    await book(store, address('dawn'), standing);
    expect(await skip()).toEqual({ goesOn: false });
    expect(await decisions(1)).toMatchObject([{ kind: 'skip', by: 'person', afterSending: 1, parkedFor: 'unclear' }]);
    expect(await store.ledger.take(address('dawn'))).toMatchObject({ sendings: [{ n: 1, unclear: {} }] });
    await expect(skip()).rejects.toThrow('is not under way');
    expect(await decisions(1)).toHaveLength(1);
  });

  it('needs the number of the take if the shot has several, even if only one is unclear', async () => {
    for (const [take, standing] of [
      [1, 'unclear'],
      [2, 'failed'],
    ] as const) {
      const own = { askKey: String(take).repeat(64), takeKey: String(take).repeat(64) };
      await book(store, address('dawn', take), standing, own);
    }
    await expect(skip()).rejects.toThrow(Refused);
    await expect(skip(2)).rejects.toThrow(Refused);
    expect(await skip(1)).toEqual({ goesOn: false });
    expect([await decisions(1), await decisions(2)]).toMatchObject([[{ kind: 'skip' }], []]);
  });

  it.each(['accepted', 'settled', 'on the wire'] as const)('is refused for a take that is %s', async (standing) => {
    await book(store, address('dawn'), standing);
    await expect(skip(1)).rejects.toThrow(Refused);
    expect(await decisions(1)).toEqual([]);
  });
});
