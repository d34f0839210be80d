import { type LedgerView, type Store } from '../../store';
import { readFrozenOnce } from './read-frozen';

/**
 * The same store for one look at it: each take and each record of a production is read once, and each asset looked for
 * once, however many parts of a page ask.
 *
 * @param takes where takes are read. Default: the store's ledger.
 */
export function readOnce(store: Store, takes: LedgerView = store.ledger): Store {
  const shots: LedgerView['shots'] = once((productionId) => takes.shots(productionId));
  const numbers: LedgerView['numbers'] = once((shot) => takes.numbers(shot));
  const take: LedgerView['take'] = once((address) => takes.take(address));
  const has: Store['assets']['has'] = once((asset) => store.assets.has(asset));
  const begun: Store['productions']['begun'] = once((productionId) => store.productions.begun(productionId));
  const plan: Store['productions']['plan'] = once((render) => store.productions.plan(render));
  const assets = { ...store.assets, has };
  readFrozenOnce(assets);
  return {
    ...store,
    assets,
    ledger: { ...store.ledger, shots, numbers, take },
    productions: { ...store.productions, begun, plan },
  };
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
