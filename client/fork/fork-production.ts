import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { GENERATIONS } from '../../contracts/identifiers';
import { type Direction } from '../../contracts/render/directing';
import { canonicalJson, type ForkRecord, type Store, takesOfAsk } from '../../store';
import { lastVersion } from '../records/last-version';
import { readFrozen } from '../records/read-frozen';
import { wrongAccount, Refused, unknownShot } from '../wording/refused';
import { takesInStore, storedTakeKeys } from '../records/takes-in-store';
import { paidRequests, type ShotRequest, withRequests } from './paid-requests';
import { type ForkedShot, type ForkPlan, planFork, type PlannedAlias } from './plan-fork';
import { checkWasRendered } from '../records/production-claim';

export interface ForkRequest {
  readonly store: Store;
  readonly account: string;
  readonly productionId: string;
  readonly newId: string;
  /** The first shot that is not reused; later shots are not reused either. Default: reuses all shots that it can. */
  readonly from: string | undefined;
}

export interface Fork {
  readonly production: string;
  readonly of: string;
  readonly from: string | null;
  /** The reused shots, with the number of the current take in the new production (`take`) and the old one (`of`). */
  readonly reused: readonly { readonly shot: string; readonly take: number; readonly of: number }[];
  readonly left: ForkPlan['left'];
  readonly new: readonly string[];
}

/**
 * Makes a new production that reuses the takes of another one. Sends nothing, and can be repeated after a crash.
 *
 * @throws Refused in these cases:
 * - the production was never rendered, belongs to another account, or is lost from the store
 * - the production has no shot `from`, or no take to reuse
 * - the new id is taken or reserved, or an interrupted attempt has recorded another take under it
 *
 * Nothing has changed then. Exceptions: if a prune removed the takes meanwhile, or an earlier attempt recorded other
 * takes, the fork stays recorded as unfinished, and the message says how to end it.
 */
export async function forkProduction(request: ForkRequest): Promise<Fork> {
  try {
    return await makeFork(request);
  } catch (error) {
    throw error instanceof Refused ? await sayingHowToEnd(request, error) : error;
  }
}

/**
 * Adds to a refusal how to end the fork, if it stays recorded as unfinished. An unfinished fork cannot be rendered, and
 * prunes keep all takes of its source. It has only aliases and copies, so its removal loses no paid take. Copied
 * directions and choices must go too: a later fork under this id would follow them.
 */
async function sayingHowToEnd(
  { store, account, productionId, newId, from }: ForkRequest,
  error: Refused,
): Promise<Refused> {
  const record = await store.productions.fork(newId);
  const isThis = record?.of === productionId && record.from === (from ?? null) && record.account === account;
  if (record === undefined || record.done || !isThis) return error;
  return new Refused(
    `${error.message}. The fork "${newId}" stays unfinished, and \`dailies prune\` keeps all takes of ` +
      `"${productionId}"; to end it, remove the folders productions/${newId}, ledger/${newId} and ` +
      `directing/${newId} from the store's folder`,
  );
}

async function makeFork(request: ForkRequest): Promise<Fork> {
  const { store, account, productionId, newId, from = null } = request;
  const { productions } = store;
  await checkWasRendered(store, productionId);
  const { production, written } = await forkedVersion(request);
  const before = shotsBefore(production, from);
  // Plan before anything is written, so that a refusal changes nothing.
  await planOrRefuse(request, production, before, written);

  const record = { of: productionId, from, account, at: new Date().toISOString() };
  if (!(await productions.beginFork(newId, record))) throw await idTaken(store, newId, record);
  // From here on, new prunes keep these takes. A prune that was already running may have removed some, so plan again.
  await store.prunes.waitForPrune();
  const { reused, left, requests } = await planOrRefuse(request, production, before, written);
  for (const shot of reused) await writeShot(request, shot, requests.get(shot.shot));
  await productions.endFork(newId, record);
  const isReused = new Set(reused.map(({ shot }) => shot));
  return {
    production: newId,
    of: productionId,
    from,
    reused: reused.map(({ shot, currentAlias: { take, source } }) => ({ shot, take, of: source.take })),
    left,
    new: production.shots.map(({ id }) => id).filter((id) => !isReused.has(id)),
  };
}

/** The last version of a production, with directions (overrides of the file). */
interface Version {
  readonly production: FrozenProduction;
  /** The version without directions; `production` if the store does not have it. */
  readonly written: FrozenProduction;
}

async function forkedVersion({ store, account, productionId }: ForkRequest): Promise<Version> {
  const { productions } = store;
  const last = await lastVersion(productions, productionId);
  if (last !== undefined && last.begun.account !== account) {
    throw wrongAccount(`production "${productionId}" was last rendered`, last.begun.account, account);
  }
  const frozen = last?.production ?? (await productions.archived(productionId))?.frozen;
  if (frozen === undefined || !(await store.assets.has(frozen))) {
    throw new Refused(`the store has lost the last version of "${productionId}"; render it again first`);
  }
  const production = await readFrozen(store.assets, frozen);
  const { written } = last?.basis ?? {};
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

async function planOrRefuse(
  { store, account, productionId, newId, from }: ForkRequest,
  production: FrozenProduction,
  before: readonly FrozenShot[],
  written: FrozenProduction,
): Promise<ForkPlan & { readonly requests: ReadonlyMap<string, ShotRequest> }> {
  const why = await whyReserved(store, productionId, newId);
  if (why !== undefined) throw new Refused(`"${newId}" cannot be the new production's id: ${why}; give another`);
  const input = await takesInStore(store, account, production);
  const source = { ...input, storedTakeKeys: await storedTakeKeys(store, input.takes) };
  const requests = paidRequests(source, before, await earlierRequests(store, production, written));
  const asPaid = withRequests(production, requests);
  const ids = new Set(before.map(({ id }) => id));
  const plan = planFork(
    { ...source, production: asPaid },
    newId,
    asPaid.shots.filter(({ id }) => ids.has(id)),
  );
  if (plan.reused.length > 0) return { ...plan, requests };
  const left = plan.left.map(({ shot, because }) => `${shot}: ${because}`).join('; ');
  throw new Refused(
    `nothing of "${productionId}" can be reused: ${left === '' ? `${JSON.stringify(from)} is its first shot` : left}`,
  );
}

async function whyReserved({ batches, runs }: Store, productionId: string, newId: string): Promise<string | undefined> {
  if (newId === productionId) return 'it is the id of the forked production';
  if (newId === GENERATIONS) return 'it is reserved for `dailies generate`';
  if ((await batches.begun(newId)) !== undefined) return 'it is a batch';
  return (await runs.scheduleOf(newId)) === undefined ? undefined : 'it is a run of a schedule';
}

/** All requests of shots that have directions: those of the directions, newest first, then the file's own request. */
async function earlierRequests(
  { directing }: Store,
  { id: productionId, shots }: FrozenProduction,
  written: FrozenProduction,
): Promise<ReadonlyMap<string, readonly ShotRequest[]>> {
  const asWritten = new Map(written.shots.map((shot) => [shot.id, shot]));
  const entries = await Promise.all(
    shots.map(async ({ id }): Promise<[string, ShotRequest[]]> => {
      const directions = (await directing.directions(productionId, id)).toReversed();
      const file = asWritten.get(id);
      if (directions.length === 0 || file === undefined) return [id, []];
      const directed = directions.map((direction): ShotRequest => ({ shot: direction.shot, direction }));
      return [id, [...directed, { shot: file, direction: undefined }]];
    }),
  );
  return new Map(entries);
}

async function idTaken(
  store: Store,
  newId: string,
  { of, from, account }: Pick<ForkRecord, 'of' | 'from' | 'account'>,
): Promise<Refused> {
  const record = await store.productions.fork(newId);
  if (record === undefined || record.done) return new Refused(`there is a production "${newId}" already`);
  if (record.account !== account) {
    return wrongAccount(`"${newId}" is already an unfinished fork of "${record.of}"`, record.account, account);
  }
  const flag = record.from === null ? '' : ` --from ${record.from}`;
  return new Refused(
    `"${newId}" is already an unfinished fork of "${record.of}", so it cannot become a fork of "${of}"${from === null ? '' : ` from "${from}"`}; ` +
      `to finish it, type: dailies fork ${record.of} ${newId}${flag}`,
  );
}

/**
 * Writes the records of a reused shot. Records of an earlier attempt stay as they are.
 *
 * @param shotRequest the earlier request that the take belongs to; undefined for the current request. Later directions
 *   are not copied.
 * @throws Refused if an earlier attempt recorded another take, direction or choice.
 */
async function writeShot(
  request: ForkRequest,
  forked: ForkedShot,
  shotRequest: ShotRequest | undefined,
): Promise<void> {
  const { directing } = request.store;
  const { productionId } = request;
  for (const alias of forked.aliases) await writeAlias(request, forked.shot, alias);
  const direction =
    shotRequest === undefined ? await directing.direction(productionId, forked.shot) : shotRequest.direction;
  await writeDirection(request, forked.shot, direction);
  await writeChoice(request, forked);
}

async function writeDirection(request: ForkRequest, shotId: string, direction: Direction | undefined): Promise<void> {
  const { store, newId } = request;
  const recorded = await store.directing.direction(newId, shotId);
  if (recorded === undefined && direction !== undefined) await store.directing.direct(newId, shotId, direction);
  // A render would follow the recorded direction, and pay again.
  if (recorded !== undefined && contentOf(recorded) !== contentOf(direction)) {
    throw changed(request, `another request for "${shotId}"`);
  }
}

/** Canonical text of a direction, without the time of its record. */
function contentOf(direction: Direction | undefined): string | undefined {
  return direction && canonicalJson({ ...direction, at: undefined });
}

async function writeChoice(request: ForkRequest, { shot, context, choice }: ForkedShot): Promise<void> {
  if (choice === undefined) return;
  const { store, newId } = request;
  const inForce = await store.directing.chooseFirst({ productionId: newId, shotId: shot, context }, choice);
  // Another take may have been chosen since the earlier attempt. A render would use the recorded choice.
  if (inForce.takeKey !== choice.takeKey || inForce.take !== choice.take) {
    throw changed(request, `another choice for "${shot}"`);
  }
}

/** @param recorded what the fork has recorded that differs from the present plan. */
function changed({ productionId, newId }: ForkRequest, recorded: string): Refused {
  return new Refused(
    `"${productionId}" has changed since the fork "${newId}" was begun: the fork has recorded ${recorded}; ` +
      'nothing was paid for, fork under another id',
  );
}

async function writeAlias(request: ForkRequest, shotId: string, alias: PlannedAlias): Promise<void> {
  const { store, account, productionId, newId } = request;
  const { model, parameters, carried, takeKey, alias: paid } = alias.source.intent;
  const reused = paid ?? { productionId, shotId, take: alias.source.take, takeKey };
  const another = (what: string): Refused => changed(request, `take ${alias.take} of "${shotId}" for another ${what}`);
  const isRecorded = async (): Promise<boolean> => {
    const recorded = takesOfAsk(await store.ledger.takes(newId, shotId), alias.askKey);
    // Another take may have been chosen since the earlier attempt. A render would use the recorded take.
    if (recorded.some(({ intent }) => intent.alias?.takeKey !== reused.takeKey)) throw another('choice');
    return recorded.length > 0;
  };
  if (await isRecorded()) return;
  const isNew = await store.ledger.intend(
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
      alias: reused,
    },
  );
  if (!isNew && !(await isRecorded())) throw another('request');
}
