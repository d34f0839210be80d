import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { GENERATIONS } from '../../contracts/identifiers';
import { type ProductionPlan } from '../../contracts/render/plan';
import { type Store } from '../../store';
import { type RenderFlags } from '../../contracts/render/render-basis';
import { type LastVersion, lastVersion } from '../records/last-version';
import { readFrozen } from '../records/read-frozen';
import { wrongAccount, Refused, unknownProduction, unknownShot } from '../wording/refused';
import { againCommand, quoted } from '../status/again-command';
import { NO_FLAGS } from '../records/render-flags';
import { checkWasRendered } from '../records/production-claim';

/** The last version of a production that was rendered at least once. */
export interface KnownRender {
  readonly productionId: string;
  readonly account: string;
  readonly production: FrozenProduction;
  /** Identifies the version. A change names the version that it replaces. */
  readonly version: string;
  /** True if the last render is open: the store does not have the render's end. */
  readonly isOpen: boolean;
}

/** A `KnownRender` with the data from which a change is computed. */
export interface KnownProduction extends KnownRender {
  readonly plan: ProductionPlan;
  /** The flags of the open render; the defaults if the render has ended. */
  readonly flags: RenderFlags;
  /** The production as written in its file, without directions (overrides of the file). */
  readonly written: FrozenProduction;
}

/**
 * @throws Refused if the production is unknown or was never rendered, belongs to another account, or is lost from the
 *   store.
 */
export async function knownRender(store: Store, account: string, productionId: string): Promise<KnownRender> {
  return (await lastRender(store, account, productionId)).render;
}

/** @throws Refused as `knownRender` does, or if the store has lost the plan or the production as written. */
export async function knownProduction(store: Store, account: string, productionId: string): Promise<KnownProduction> {
  const { render, basis } = await lastRender(store, account, productionId);
  const plan = await store.productions.plan(basis);
  if (plan === undefined) throw await renderLost(store, productionId);
  if (basis.written !== undefined && !(await store.assets.has(basis.written)))
    throw await renderLost(store, productionId);
  const flagsInForce: { readonly [Flag in keyof RenderFlags]?: RenderFlags[Flag] | undefined } = render.isOpen
    ? basis
    : NO_FLAGS;
  const { maxInFlight = null, unattended = false, priority } = flagsInForce;
  return {
    ...render,
    plan,
    flags: { maxInFlight, unattended, ...(priority === undefined ? {} : { priority }) },
    written: basis.written === undefined ? render.production : await readFrozen(store.assets, basis.written),
  };
}

async function lastRender(
  store: Store,
  account: string,
  productionId: string,
): Promise<{ readonly render: KnownRender; readonly basis: LastVersion['basis'] }> {
  const { productions } = store;
  if (productionId === GENERATIONS) throw unknownProduction(productionId, await productions.ids());
  await checkWasRendered(store, productionId);
  const last = await lastVersion(productions, productionId);
  if (last === undefined) throw unknownProduction(productionId, await productions.ids());
  const { begun, basis, version, isOpen } = last;
  if (begun.account !== account) {
    throw wrongAccount(`production "${productionId}" is rendered`, begun.account, account);
  }
  if (!(await store.assets.has(last.production))) throw await renderLost(store, productionId);
  const production = await readFrozen(store.assets, last.production);
  return { render: { productionId, account, production, version, isOpen }, basis };
}

async function renderLost(store: Store, productionId: string): Promise<Refused> {
  const lost = `the store has lost the last version of "${productionId}"`;
  if ((await store.runs.byId(productionId)) !== undefined)
    return new Refused(
      `${lost}, which a schedule began; render the schedule's file by itself, under another id with --id`,
    );
  const batchId = (await store.productions.begun(productionId))?.batch;
  // `retry-failed` cannot restore the version, because it reuses the frozen rows. Only a new start of the batch can.
  const isGiven = batchId !== undefined && (await store.batches.origin(batchId)) == null;
  const again = isGiven
    ? `the program that gave the batch "${batchId}"`
    : quoted(await againCommand(store, { what: 'production', id: productionId }));
  return new Refused(`${lost}; ${again} records it again, and pays for no take that the store still has`);
}

/** @throws Refused if the production has no such shot. */
export function knownShot({ productionId, production }: KnownRender, shotId: string): FrozenShot {
  const shot = production.shots.find(({ id }) => id === shotId);
  if (shot !== undefined) return shot;
  throw unknownShot(
    productionId,
    shotId,
    production.shots.map(({ id }) => id),
  );
}
