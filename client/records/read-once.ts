import { type AssetRef } from '../../contracts/asset';
import { type LedgerView, type ShotAddress, type Store, type TakeAddress, wrapAssets } from '../../store';
import { readFrozenOnce } from './read-frozen';

/**
 * A store for building one page. It reads each take, begun render, plan and frozen production only once, and checks
 * only once whether an asset exists.
 *
 * @param takes the source of takes. Default: the store's ledger.
 */
export function readOnce(store: Store, takes: LedgerView = store.ledger): Store {
  const shots: LedgerView['shots'] = once(itself, (productionId) => takes.shots(productionId));
  const numbers: LedgerView['numbers'] = once(shotInText, (shot) => takes.numbers(shot));
  const take: LedgerView['take'] = once(takeInText, (address) => takes.take(address));
  const has: Store['assets']['has'] = once(hashAndSize, (asset) => store.assets.has(asset));
  const begun: Store['productions']['begun'] = once(itself, (productionId) => store.productions.begun(productionId));
  const plan: Store['productions']['plan'] = once(hashOfPlan, (render) => store.productions.plan(render));
  const assets = wrapAssets(store.assets, { has });
  readFrozenOnce(assets);
  return {
    ...store,
    assets,
    ledger: { ...store.ledger, shots, numbers, take },
    productions: { ...store.productions, begun, plan },
  };
}

/** @param keyOf must be fast, and must return different keys for different arguments. Called thousands of times. */
function once<Asked, Found>(
  keyOf: (asked: Asked) => string,
  ask: (asked: Asked) => Promise<Found>,
): (asked: Asked) => Promise<Found> {
  const known = new Map<string, Promise<Found>>();
  return (asked) => {
    const key = keyOf(asked);
    const found = known.get(key) ?? ask(asked);
    known.set(key, found);
    return found;
  };
}

function itself(id: string): string {
  return id;
}

/** The slashes keep the keys apart, because no id contains a slash. */
function shotInText({ productionId, shotId }: ShotAddress): string {
  return `${productionId}/${shotId}`;
}

function takeInText(address: TakeAddress): string {
  return `${shotInText(address)}/${address.take}`;
}

function hashOfPlan({ plan }: { readonly plan?: AssetRef | undefined }): string {
  return plan?.sha256 ?? '';
}

function hashAndSize({ sha256, sizeBytes }: AssetRef): string {
  return `${sha256}/${sizeBytes}`;
}
