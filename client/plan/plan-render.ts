import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { AssetRef } from '../../contracts/asset';
import { type FrozenProduction } from '../../contracts/frozen';
import { type RenderPlan, type ShotPlan } from '../../contracts/render-plan';
import { type ProductionStatus } from '../../contracts/status';
import { filmKey, isWhole, type Quotes, type StoreView, sumOf, type TakeHistory, type WantedFilm } from '../../store';
import { takesOf } from '../manifest';
import { type Begun, createProductionRecords } from '../production-records';
import { prunedInWords } from '../pruned';
import { readFrozen } from '../read-frozen';
import { filmThatIs, filmToBe, isKnownWhole, planFilm } from './plan-film';
import { isPaidFor, planShots } from './plan-shots';

export interface PlanRequest {
  readonly store: StoreView;
  readonly account: string;
  readonly quotes: Quotes;
  readonly production: FrozenProduction;
}

/** What a render of this production would do and cost, by what the store knows. Sends and stores nothing. */
export async function planRender({ store, account, quotes, production }: PlanRequest): Promise<RenderPlan> {
  const records = createProductionRecords(store);
  const [takes, status, begun] = await Promise.all([
    takesOf(store, account, production.id),
    records.archived(production.id),
    records.begun(production.id),
  ]);
  const open = begun?.account === account && begun.renderId !== status?.renderId ? begun : undefined;
  const shots = planShots({
    production,
    account,
    takes,
    status,
    renderId: open !== undefined && isOf(open, production) ? open.renderId : randomUUID(),
    whole: await wholeTakes(store, takes),
    nowMs: Date.now(),
  });
  const film = filmToBe(production, shots, takes);
  const isThere = film !== undefined && isKnownWhole(film) && (await hasFilm(store, film));
  const quoted = new Map(
    await Promise.all(
      production.shots.map(async (shot) => [shot.id, await quotes(shot.model.id, shot.parameters)] as const),
    ),
  );
  const priced = shots.map((shot): ShotPlan => {
    const quote = quoted.get(shot.shot) ?? null;
    const take = takes.get(shot.shot)?.find((one) => one.take === shot.take);
    const isPruned = !isPaidFor(shot) && shot.action !== 'reused' && take?.pruned !== undefined;
    return {
      ...shot,
      reason: isPruned && quote !== null ? prunedInWords(quote) : shot.reason,
      quote: isPaidFor(shot) ? quote : null,
    };
  });
  return {
    production: production.id,
    title: production.title,
    account,
    shots: priced,
    film: planFilm(film, isThere, await lastFilm(store, status)),
    quote: sumOf(priced.flatMap(({ quote }) => quote ?? [])),
    underWay: open !== undefined,
  };
}

/** What is left to do of a production that has not completed; undefined where the store has lost what it was made by. */
export async function planRest(
  request: Omit<PlanRequest, 'production'>,
  { frozen }: ProductionStatus,
): Promise<RenderPlan | undefined> {
  const { assets } = request.store;
  if (!(await assets.has(frozen))) return undefined;
  return planRender({ ...request, production: await readFrozen(assets, frozen) });
}

/** A render joins the one under way only where that is of the very same production. */
function isOf({ production }: Begun, frozen: FrozenProduction): boolean {
  return production.sha256 === createHash('sha256').update(JSON.stringify(frozen)).digest('hex');
}

async function wholeTakes(
  { assets }: StoreView,
  takes: ReadonlyMap<string, readonly TakeHistory[]>,
): Promise<ReadonlySet<string>> {
  const keys = await Promise.all(
    [...takes.values()].flat().map(async ({ intent, output }) => {
      return output !== undefined && (await isWhole(assets, output)) ? [intent.takeKey] : [];
    }),
  );
  return new Set(keys.flat());
}

async function hasFilm({ records, assets }: StoreView, film: WantedFilm): Promise<boolean> {
  const made = z.object({ film: AssetRef }).safeParse(await records.read(filmKey(film)));
  return made.success && (await assets.has(made.data.film));
}

/** The film with which the production last ended, as far as the store still has what it was made by. */
async function lastFilm({ assets }: StoreView, status: ProductionStatus | undefined): Promise<WantedFilm | undefined> {
  if (status === undefined || status.film === null || !(await assets.has(status.frozen))) return undefined;
  return filmThatIs(await readFrozen(assets, status.frozen), status);
}
