import { type FrozenProduction } from '../../contracts/render/frozen';
import { type Sandbox, type SandboxTask } from '../../sandbox';
import { isRefused, ledgerState, type Store } from '../../store';
import { betaShot, film, linkedShot } from '../support/rig';

const CHAINS = ['a', 'b', 'c', 'd'];
const LINKS = [1, 2, 3];

/** Work for a while: chains side by side, so that at any moment some shots submit, some wait and some are collected. */
export function chains(id: string): FrozenProduction {
  return film(
    id,
    CHAINS.flatMap((chain) =>
      LINKS.map((n) => (n === 1 ? betaShot(`${chain}1`) : linkedShot(`${chain}${n}`, `${chain}${n - 1}`))),
    ),
  );
}

/**
 * Every take was sent once, accepted once and settled, and the gateway accepted nothing else.
 *
 * An attempt that Temporal did not confirm sends nothing, and the ledger has it as refused.
 */
export async function expectAcceptedOnce(
  { sandbox, store }: { readonly sandbox: Sandbox; readonly store: Store },
  { id, shots }: FrozenProduction,
  before: readonly SandboxTask[] = [],
): Promise<void> {
  const takes = (await Promise.all(shots.map((shot) => store.ledger.takes(id, shot.id)))).flat();
  const sent = takes.map(({ sendings }) => sendings.filter((one) => !isRefused(one)).length);
  expect(takes.map((take, index) => [ledgerState(take).is, sent[index]])).toEqual(shots.map(() => ['settled', 1]));
  const accepted = sandbox.tasks().slice(before.length);
  const keys = takes.map(({ intent }) => intent.takeKey);
  expect(accepted.map(({ idempotencyKey }) => idempotencyKey).toSorted()).toEqual(keys.toSorted());
}
