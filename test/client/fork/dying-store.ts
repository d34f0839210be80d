import { type Store } from '../../../store';

/** The store of a process that dies before it records a take of the shot: then an `intend` rejects with `DEATH`. */
export function dyingStore(store: Store, shotId: string): Store {
  const { ledger } = store;
  return {
    ...store,
    ledger: {
      ...ledger,
      intend: (address, intent) =>
        address.shotId === shotId ? Promise.reject(new Error(DEATH)) : ledger.intend(address, intent),
    },
  };
}

export const DEATH = 'the process has died here';
