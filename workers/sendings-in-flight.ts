import { type Store, type TakeAddress } from '../store';

/** A sending that this process has begun and whose answer is not recorded yet. */
export interface SendingInFlight {
  readonly take: TakeAddress;
  readonly sinceMs: number;
}

/** Wraps a store, and lists the wrapper's sendings in flight. */
export function watchSendings(store: Store): {
  readonly store: Store;
  readonly inFlight: () => readonly SendingInFlight[];
} {
  const { ledger } = store;
  const sendings = new Map<string, SendingInFlight>();
  const keyOf = (take: TakeAddress, n: number): string => `${take.productionId}/${take.shotId}/${take.take}/${n}`;
  return {
    inFlight: () => [...sendings.values()],
    store: {
      ...store,
      ledger: {
        ...ledger,
        async beginSending(take, n, sent) {
          const isOurs = await ledger.beginSending(take, n, sent);
          if (isOurs) sendings.set(keyOf(take, n), { take, sinceMs: Date.now() });
          return isOurs;
        },
        async endSending(take, n, end) {
          const isNoted = await ledger.endSending(take, n, end);
          // The outcome is on disk. If this process ends now, `bookedTake` completes an answer's records later.
          sendings.delete(keyOf(take, n));
          return isNoted;
        },
      },
    },
  };
}
