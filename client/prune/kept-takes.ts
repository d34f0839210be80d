import { type AssetRef } from '../../contracts/asset';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { GENERATIONS } from '../../contracts/identifiers';
import { chosenTakeOf, type ProductionStatus } from '../../contracts/status';
import { filmHash, type Store } from '../../store';
import { type BookedTake, bookedTakes } from '../records/booked-takes';
import { currentShots, type TakesInput } from '../records/current-takes';
import { currentFilm } from '../plan/plan-film';
import { filesOf } from '../production-file';
import { readFrozen } from '../records/read-frozen';
import { storedStatus } from '../status/stored-status';
import { takesInStore } from '../records/takes-in-store';

/** The takes of a production, divided into kept and unused ones. */
export interface Keeping {
  readonly kept: readonly BookedTake[];
  readonly unused: readonly BookedTake[];
  /** Other assets that the production needs: its film, and the files that a person gave for it. */
  readonly assets: readonly Pick<AssetRef, 'sha256'>[];
  /**
   * Hash of the film that the completed shots make; undefined if the production has no assembly, or if its frozen
   * production is missing.
   */
  readonly film: string | undefined;
}

/**
 * Finds the takes that a production needs.
 *
 * Always keeps single tasks and takes of another account. Keeps all takes of a production in these cases:
 * - it has not ended, or was never rendered
 * - its frozen production is lost, or records of its takes are unreadable
 * - it belongs to another account
 * - it is being forked
 */
export async function keepingOf(
  store: Store,
  account: string,
  id: string,
  beingForked: ReadonlySet<string>,
): Promise<Keeping> {
  const { productions } = store;
  const { takes, broken } = await bookedTakes(store, id);
  const [begun, archived] = await Promise.all([productions.begun(id), productions.archived(id)]);
  const hasEnded = begun !== undefined && archived !== undefined && begun.renderId === archived.renderId;
  const frozen = await frozenIfThere(store, begun?.production ?? archived?.frozen);
  const assets = [archived?.film, ...(frozen === undefined ? [] : filesOf(frozen))].filter((one) => one != null);

  const isCertain = hasEnded && frozen !== undefined && broken.length === 0 && begun.account === account;
  if (!isCertain || id === GENERATIONS || beingForked.has(id)) {
    const status = frozen === undefined ? undefined : await storedStatus(store, account, id, {});
    return { kept: takes, unused: [], assets, film: filmOf(frozen, status) };
  }
  const needed = neededKeys(archived, await takesInStore(store, account, frozen));
  const isKept = ({ history }: BookedTake): boolean =>
    needed.has(history.intent.takeKey) || history.intent.account !== account;
  return {
    kept: takes.filter(isKept),
    unused: takes.filter((take) => !isKept(take)),
    assets,
    film: filmOf(frozen, archived),
  };
}

/**
 * Keys of the takes with which the production ended, and of the takes that a new render would use. If a shot has
 * several takes to choose from, only the chosen take is needed, or all if none is chosen.
 */
function neededKeys({ shots }: ProductionStatus, inStore: TakesInput): ReadonlySet<string> {
  const atEnd = shots.flatMap((shot) => chosenTakeOf(shot) ?? shot.takes);
  const current = [...currentShots(inStore).values()].flatMap(({ choice, siblings, take }) =>
    choice === undefined ? [take, ...siblings] : [take],
  );
  return new Set([
    ...atEnd.map(({ takeKey }) => takeKey),
    ...current.flatMap((history) => history?.intent.takeKey ?? []),
  ]);
}

function filmOf(frozen: FrozenProduction | undefined, status: ProductionStatus | undefined): string | undefined {
  const film = frozen === undefined || status === undefined ? undefined : currentFilm(frozen, status);
  return film === undefined ? undefined : filmHash(film);
}

async function frozenIfThere({ assets }: Store, ref: AssetRef | undefined): Promise<FrozenProduction | undefined> {
  return ref === undefined || !(await assets.has(ref)) ? undefined : readFrozen(assets, ref);
}
