import { type LedgerView, type Store } from '../../store';

/**
 * The same store for one look at it: each take is read once, and each asset looked for once, however many parts of a
 * page ask.
 *
 * @param takes where takes are read. Default: the store's ledger.
 */
export function readOnce<S extends Pick<Store, 'ledger' | 'assets'>>(store: S, takes: LedgerView = store.ledger): S {
  const shots: LedgerView['shots'] = once((productionId) => takes.shots(productionId));
  const numbers: LedgerView['numbers'] = once((shot) => takes.numbers(shot));
  const take: LedgerView['take'] = once((address) => takes.take(address));
  const has: Store['assets']['has'] = once((asset) => store.assets.has(asset));
  return { ...store, assets: { ...store.assets, has }, ledger: { ...store.ledger, shots, numbers, take } };
}

function once<Asked, Found>(ask: (asked: Asked) => Promise<Found>): (asked: Asked) => Promise<Found> {
  const known = new Map<string, Promise<Found>>();
  return (asked) => {
    const key = JSON.stringify(asked);
    const found = known.get(key) ?? ask(asked);
    known.set(key, found);
    return found;
  };
}
