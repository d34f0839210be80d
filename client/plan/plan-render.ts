import { z } from 'zod';
import { AssetRef } from '../../contracts/asset';
import { type ProductionBudget, type ProductionSpending } from '../../contracts/budget';
import { type Choice } from '../../contracts/directing';
import { type FrozenProduction } from '../../contracts/frozen';
import { type ProductionPlan } from '../../contracts/plan';
import { type FilmPlan, type RenderPlan, type ShotPlan } from '../../contracts/render-plan';
import { type ProductionStatus } from '../../contracts/status';
import {
  brokenTakes,
  createDirecting,
  filmKey,
  type Quotes,
  spendingOf,
  type StoreView,
  sumOf,
  type WantedFilm,
} from '../../store';
import { createBudgets, figuresOf } from '../status/budgets';
import { type CurrentShot, currentShots, type TakesInput } from '../records/current-takes';
import { takesOf } from '../records/takes';
import { type Begun, createProductionRecords } from '../records/production-records';
import { prunedInWords } from '../records/pruned';
import { isSameProduction, readFrozen } from '../records/read-frozen';
import { wholeTakes } from '../records/takes-in-store';
import { filmThatIs, filmToBe, isKnownWhole, isMissing, planFilm } from './plan-film';
import { planShots } from './plan-shots';

export interface PlanRequest {
  readonly store: StoreView;
  readonly account: string;
  readonly quotes: Quotes;
  readonly production: FrozenProduction;
  /** The shots and rules of the file. */
  readonly shots: ProductionPlan['shots'];
  readonly budget?: ProductionBudget | undefined;
  /** The production as written in its file, without directions. */
  readonly written?: FrozenProduction;
  readonly lapsed?: readonly string[];
  /** The shots that a deadline has directed. Default: none. */
  readonly byDeadline?: ReadonlySet<string>;
  /** Choices that are about to be made, by context. */
  readonly choices?: ReadonlyMap<string, Choice>;
  /** Whether the plan replaces the running version, whatever that is. */
  readonly revises?: boolean;
}

const NO_FILM: FilmPlan = { action: 'none', because: ['missing'] };

/** What a render of this production would do and cost, by the store. Sends and stores nothing. */
export async function planRender({
  store,
  account,
  quotes,
  production,
  shots: ordered,
  budget,
  written,
  lapsed = [],
  byDeadline = new Set(),
  choices = new Map(),
  revises = false,
}: PlanRequest): Promise<RenderPlan> {
  const records = createProductionRecords(store);
  const [noted, takes, status, begun] = await Promise.all([
    createDirecting(store.records).choices(production.id),
    takesOf(store, account, production.id),
    records.archived(production.id),
    records.begun(production.id),
  ]);
  const underWay = begun !== undefined && begun.renderId !== status?.renderId;
  const isMet = underWay && begun.account === account;
  const joins =
    isMet && (revises || (await isSameProduction(store.assets, begun.production, production))) ? begun : undefined;
  // A running render keeps the rules with which it began.
  const rules = joins === undefined || revises ? ordered : ((await records.plan(joins))?.shots ?? ordered);
  const shots = planShots({
    production,
    account,
    takes,
    choices: new Map([...noted, ...choices]),
    written,
    status,
    ...(isMet ? { underWay: await shotsUnderWay(store, begun, { account, takes, choices: noted }) } : {}),
    policies: new Map(rules.map((shot) => [shot.id, shot])),
    joins,
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
    const isCollected = shot.newTakes === 0 && shot.action === 'collected' && take?.pruned !== undefined;
    return {
      ...shot,
      reason: isCollected && quote !== null ? prunedInWords(quote) : shot.reason,
      quote: shot.newTakes > 0 ? quote : null,
      ...(byDeadline.has(shot.shot) ? { directedBy: 'deadline' as const } : {}),
    };
  });
  return {
    production: production.id,
    title: production.title,
    account,
    shots: priced,
    film:
      film !== undefined && shots.some(isMissing) ? NO_FILM : planFilm(film, isThere, await lastFilm(store, status)),
    quote: sumOf(
      priced.flatMap(({ quote, newTakes }) => (quote === null ? [] : Array.from({ length: newTakes }, () => quote))),
    ),
    budget: await leftOf(store, production.id, budget, async () =>
      spendingOf(takes, quotes, await brokenTakes(store, production.id, account)),
    ),
    underWay,
    joins: joins !== undefined,
    lapsed: [...lapsed],
  };
}

/** What remains to be done for a production that has not completed; undefined if its frozen production is lost. */
export async function planRest(
  request: Omit<PlanRequest, 'production' | 'shots'>,
  { production, frozen }: ProductionStatus,
): Promise<RenderPlan | undefined> {
  const { assets } = request.store;
  if (!(await assets.has(frozen))) return undefined;
  const records = createProductionRecords(request.store);
  const begun = await records.begun(production);
  const plan = begun === undefined ? undefined : await records.plan(begun);
  return planRender({ ...request, production: await readFrozen(assets, frozen), shots: plan?.shots ?? [] });
}

/** The shots of the running version; empty if its frozen production is lost. */
async function shotsUnderWay(
  store: StoreView,
  begun: Begun,
  known: Pick<TakesInput, 'account' | 'takes' | 'choices'>,
): Promise<ReadonlyMap<string, CurrentShot>> {
  if (!(await store.assets.has(begun.production))) return new Map();
  const [production, plan] = await Promise.all([
    readFrozen(store.assets, begun.production),
    createProductionRecords(store).plan(begun),
  ]);
  return currentShots({ ...known, production, sideBySide: new Map(plan?.shots.map(({ id, takes }) => [id, takes])) });
}

/** What is left of the budget in force, by the ledger. */
async function leftOf(
  store: StoreView,
  productionId: string,
  file: ProductionBudget | undefined,
  spending: () => Promise<ProductionSpending>,
): Promise<RenderPlan['budget']> {
  const budget = await createBudgets(store).inForce(productionId, file);
  if (budget === undefined) return null;
  const { credits, spent, reserved } = figuresOf(budget, await spending());
  return { credits, left: Math.max(0, credits - spent - reserved) };
}

async function hasFilm({ records, assets }: StoreView, film: WantedFilm): Promise<boolean> {
  const made = z.object({ film: AssetRef }).safeParse(await records.read(filmKey(film)));
  return made.success && (await assets.has(made.data.film));
}

/** The film with which the production last ended; undefined if it had none or its frozen production is lost. */
async function lastFilm({ assets }: StoreView, status: ProductionStatus | undefined): Promise<WantedFilm | undefined> {
  if (status === undefined || status.film === null || !(await assets.has(status.frozen))) return undefined;
  return filmThatIs(await readFrozen(assets, status.frozen), status);
}
