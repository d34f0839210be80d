import { type Store, type TakeAddress } from '../store';

/** A sending that this process has begun, and whose answer it has not noted. */
export interface SendingInFlight {
  readonly take: TakeAddress;
  readonly sinceMs: number;
}

/** Watches a store for the sendings that its user has in flight. */
export function watchSendings(store: Store): {
  readonly store: Store;
  readonly inFlight: () => readonly SendingInFlight[];
} {
  const { ledger } = store;
  const open = new Map<string, SendingInFlight>();
  const keyOf = (take: TakeAddress, n: number): string => `${take.productionId}/${take.shotId}/${take.take}/${n}`;
  return {
    inFlight: () => [...open.values()],
    store: {
      ...store,
      ledger: {
        ...ledger,
        async beginSending(take, n, sent) {
          const isOurs = await ledger.beginSending(take, n, sent);
          if (isOurs) open.set(keyOf(take, n), { take, sinceMs: Date.now() });
          return isOurs;
        },
        async endSending(take, n, end) {
          const isNoted = await ledger.endSending(take, n, end);
          // An answer is noted first, and booked then.
          if (end.kind !== 'answered') open.delete(keyOf(take, n));
          return isNoted;
        },
      },
    },
  };
}
