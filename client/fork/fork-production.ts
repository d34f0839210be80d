import { type FrozenProduction, type FrozenShot } from '../../contracts/frozen';
import { GENERATIONS } from '../../contracts/identifiers';
import { createDirecting, outlastPrunes, type Store, takesOfAsk } from '../../store';
import { createProductionRecords, type ForkRecord } from '../records/production-records';
import { readFrozen } from '../records/read-frozen';
import { ofOtherAccount, Refused, unknownShot } from '../wording/refused';
import { takesInStore, wholeTakes } from '../records/takes-in-store';
import { paidWishes, type Wish, withWishes } from './paid-wishes';
import { type ForkedShot, type ForkPlan, planFork, type PlannedAlias } from './plan-fork';

export interface ForkRequest {
  readonly store: Store;
  readonly account: string;
  readonly productionId: string;
  readonly newId: string;
  /** The first shot that is not reused. Default: all are reused. */
  readonly from: string | undefined;
}

export interface Fork {
  readonly production: string;
  readonly of: string;
  readonly from: string | null;
  /** Takes of the new production, and the old takes that they reuse. */
  readonly reused: readonly { readonly shot: string; readonly take: number; readonly of: number }[];
  readonly left: ForkPlan['left'];
  readonly new: readonly string[];
}

/**
 * Makes a new production that reuses the takes of another one. Sends nothing, and can be repeated after a crash.
 *
 * @throws Refused if there is nothing to reuse, or the new id is taken. Then nothing has changed.
 */
export async function forkProduction(request: ForkRequest): Promise<Fork> {
  const { store, account, productionId, newId, from = null } = request;
  const records = createProductionRecords(store);
  await records.checkKnown(productionId);
  const { production, written } = await versionOf(request);
  const before = shotsBefore(production, from);
  // Plan before anything is written, so that a refusal changes nothing.
  await planned(request, production, before, written);

  const record = { of: productionId, from, account, at: new Date().toISOString() };
  if (!(await records.beginFork(newId, record))) throw await taken(store, newId, record);
  // From here on prunes spare these takes. A prune that was already running may have removed some, so plan again.
  await outlastPrunes(store.records);
  const { reused, left, wishes } = await planned(request, production, before, written);
  for (const shot of reused) await writeShot(request, shot, wishes.get(shot.shot));
  await records.endFork(newId, record);
  const isReused = new Set(reused.map(({ shot }) => shot));
  return {
    production: newId,
    of: productionId,
    from,
    reused: reused.map(({ shot, standing }) => ({ shot, take: standing.take, of: standing.source.take })),
    left,
    new: production.shots.map(({ id }) => id).filter((id) => !isReused.has(id)),
  };
}

/** The last version of a production, and the same as written in its file, without directions. */
interface Version {
  readonly production: FrozenProduction;
  readonly written: FrozenProduction;
}

async function versionOf({ store, account, productionId }: ForkRequest): Promise<Version> {
  const records = createProductionRecords(store);
  const begun = await records.begun(productionId);
  if (begun !== undefined && begun.account !== account) {
    throw ofOtherAccount(`production "${productionId}" was last rendered`, begun.account, account);
  }
  const frozen = begun?.production ?? (await records.archived(productionId))?.frozen;
  if (frozen === undefined || !(await store.assets.has(frozen))) {
    throw new Refused(`the store has lost what "${productionId}" was rendered from; render it again first`);
  }
  const production = await readFrozen(store.assets, frozen);
  const { written } = begun ?? {};
  const isKnown = written !== undefined && (await store.assets.has(written));
  return { production, written: isKnown ? await readFrozen(store.assets, written) : production };
}

function shotsBefore({ id, shots }: FrozenProduction, from: string | null): readonly FrozenShot[] {
  if (from === null) return shots;
  const index = shots.findIndex((shot) => shot.id === from);
  if (index >= 0) return shots.slice(0, index);
  throw unknownShot(
    id,
    from,
    shots.map((shot) => shot.id),
  );
}

async function planned(
  { store, account, productionId, newId }: ForkRequest,
  production: FrozenProduction,
  before: readonly FrozenShot[],
  written: FrozenProduction,
): Promise<ForkPlan & { readonly wishes: ReadonlyMap<string, Wish> }> {
  if (newId === productionId || newId === GENERATIONS) {
    const whose = newId === productionId ? 'the one that it is made of' : 'kept for `dailies generate`';
    throw new Refused(`"${newId}" cannot be the new production's id, it is ${whose}; give it another`);
  }
  const known = await takesInStore(store, account, production);
  const source = { ...known, whole: await wholeTakes(store, known.takes) };
  const wishes = paidWishes(source, before, await earlierWishes(store, production, written));
  const asPaid = withWishes(production, wishes);
  const ids = new Set(before.map(({ id }) => id));
  const plan = planFork(
    { ...source, production: asPaid },
    newId,
    asPaid.shots.filter(({ id }) => ids.has(id)),
  );
  if (plan.reused.length > 0) return { ...plan, wishes };
  const why = plan.left.map(({ shot, because }) => `${shot}: ${because}`).join('; ');
  throw new Refused(
    `nothing of "${productionId}" can be reused${why === '' ? ': no shot comes before that one' : `: ${why}`}`,
  );
}

/** Earlier requests of directed shots: their directions, newest first, then the file's own. */
async function earlierWishes(
  { records }: Store,
  { id: productionId, shots }: FrozenProduction,
  written: FrozenProduction,
): Promise<ReadonlyMap<string, readonly Wish[]>> {
  const directing = createDirecting(records);
  const asWritten = new Map(written.shots.map((shot) => [shot.id, shot]));
  const found = await Promise.all(
    shots.map(async ({ id }): Promise<[string, Wish[]]> => {
      const directions = (await directing.directions(productionId, id)).toReversed();
      const file = asWritten.get(id);
      if (directions.length === 0 || file === undefined) return [id, []];
      const directed = directions.map((direction): Wish => ({ shot: direction.shot, direction }));
      return [id, [...directed, { shot: file, direction: undefined }]];
    }),
  );
  return new Map(found);
}

async function taken(store: Store, newId: string, { of, from }: Pick<ForkRecord, 'of' | 'from'>): Promise<Refused> {
  const known = await createProductionRecords(store).fork(newId);
  if (known === undefined || known.done) return new Refused(`there is a production "${newId}" already`);
  const flag = known.from === null ? '' : ` --from ${known.from}`;
  return new Refused(
    `"${newId}" is half a fork of "${known.of}", and this would be one of "${of}"${from === null ? '' : ` from "${from}"`}; ` +
      `type: dailies fork ${known.of} ${newId}${flag}`,
  );
}

/**
 * Writes a reused shot. Records from an earlier attempt stay as they are.
 *
 * @param wish the earlier request that the take belongs to. Later directions are not copied.
 */
async function writeShot(request: ForkRequest, forked: ForkedShot, wish: Wish | undefined): Promise<void> {
  const { store, productionId, newId } = request;
  const directing = createDirecting(store.records);
  for (const alias of forked.aliases) await writeAlias(request, forked.shot, alias);

  const direction = wish === undefined ? await directing.direction(productionId, forked.shot) : wish.direction;
  if (direction !== undefined && (await directing.direction(newId, forked.shot)) === undefined) {
    await directing.direct(newId, forked.shot, direction);
  }
  if (forked.choice !== undefined) {
    await directing.chooseFirst({ productionId: newId, shotId: forked.shot, context: forked.context }, forked.choice);
  }
}

async function writeAlias(
  { store, account, productionId, newId }: ForkRequest,
  shotId: string,
  alias: PlannedAlias,
): Promise<void> {
  const { source } = alias;
  const known = await store.ledger.takes(newId, shotId);
  if (takesOfAsk(known, alias.askKey).length > 0) return;
  const { model, parameters, carried, takeKey, alias: paid } = source.intent;
  await store.ledger.intend(
    { productionId: newId, shotId, take: alias.take },
    {
      takeKey: alias.takeKey,
      askKey: alias.askKey,
      count: 0,
      account,
      renderId: `fork-of-${productionId}`,
      attempt: 1,
      model,
      parameters,
      ...(carried === undefined ? {} : { carried }),
      at: new Date().toISOString(),
      alias: paid ?? { productionId, shotId, take: source.take, takeKey },
    },
  );
}
