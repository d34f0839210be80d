import { type AssetRef } from '../../contracts/asset';
import { type FrozenProduction } from '../../contracts/frozen';
import { GENERATIONS } from '../../contracts/identifiers';
import { chosenTakeOf, type ProductionStatus } from '../../contracts/status';
import { filmKey, type Store } from '../../store';
import { type BookedTake, bookedTakes } from '../books/takes';
import { currentShots, type TakesInput } from '../current-takes';
import { filmThatIs } from '../plan/plan-film';
import { filesOf } from '../production-file';
import { createProductionRecords } from '../production-records';
import { readFrozen } from '../read-frozen';
import { storedStatus } from '../stored-status';
import { takesInStore } from '../takes-in-store';

/** What a production stands on, and what it does not. */
export interface Keeping {
  readonly kept: readonly BookedTake[];
  readonly unused: readonly BookedTake[];
  /** Whatever else it needs: its film, and the files that a person gave for it. */
  readonly assets: readonly Pick<AssetRef, 'sha256'>[];
  /** Key of the film that its takes make as they stand. */
  readonly film: string | undefined;
}

/**
 * Tells the takes that stand for a production's shots from those that do not.
 *
 * All are kept of a production of which it is not surely known: one that has not ended, was not rendered yet, has records
 * that cannot be read, belongs to another account, or is just being forked.
 */
export async function keepingOf(
  store: Store,
  account: string,
  id: string,
  beingForked: ReadonlySet<string>,
): Promise<Keeping> {
  const records = createProductionRecords(store);
  const { takes, broken } = await bookedTakes(store, id);
  const [begun, archived] = await Promise.all([records.begun(id), records.archived(id)]);
  const hasEnded = begun !== undefined && archived !== undefined && begun.renderId === archived.renderId;
  const frozen = await frozenIfThere(store, begun?.production ?? archived?.frozen);
  const assets = [archived?.film, ...(frozen === undefined ? [] : filesOf(frozen))].filter((one) => one != null);

  const isSure = hasEnded && frozen !== undefined && broken.length === 0 && begun.account === account;
  if (!isSure || id === GENERATIONS || beingForked.has(id)) {
    const status = frozen === undefined ? undefined : await storedStatus(store, account, id, {});
    return { kept: takes, unused: [], assets, film: filmOf(frozen, status) };
  }
  const standing = standingKeys(archived, await takesInStore(store, account, frozen));
  const isKept = ({ history }: BookedTake): boolean =>
    standing.has(history.intent.takeKey) || history.intent.account !== account;
  return {
    kept: takes.filter(isKept),
    unused: takes.filter((take) => !isKept(take)),
    assets,
    film: filmOf(frozen, archived),
  };
}

/**
 * The takes that stood when the production ended, and those that would be found if it were rendered again. Of takes side
 * by side it is the chosen one; where nobody has chosen, all of them.
 */
function standingKeys({ shots }: ProductionStatus, inStore: TakesInput): ReadonlySet<string> {
  const stood = shots.flatMap((shot) => chosenTakeOf(shot) ?? shot.takes);
  const current = [...currentShots(inStore).values()].flatMap(({ choice, siblings, take }) =>
    choice === undefined ? [take, ...siblings] : [take],
  );
  return new Set([
    ...stood.map(({ takeKey }) => takeKey),
    ...current.flatMap((history) => history?.intent.takeKey ?? []),
  ]);
}

function filmOf(frozen: FrozenProduction | undefined, status: ProductionStatus | undefined): string | undefined {
  const film = frozen === undefined || status === undefined ? undefined : filmThatIs(frozen, status);
  return film === undefined ? undefined : filmKey(film);
}

async function frozenIfThere({ assets }: Store, ref: AssetRef | undefined): Promise<FrozenProduction | undefined> {
  return ref === undefined || !(await assets.has(ref)) ? undefined : readFrozen(assets, ref);
}
