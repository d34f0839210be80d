import { type ProductionBudget, type ProductionSpending } from '../../contracts/money/budget';
import { exactCredits } from '../../contracts/money/credits';
import { type Choice } from '../../contracts/render/directing';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type ProductionPlan } from '../../contracts/render/plan';
import { type FilmPlan, type RenderPlan, type ShotPlan } from '../../contracts/render/render-plan';
import { type ProductionStatus } from '../../contracts/status';
import {
  type Begun,
  brokenTakes,
  type Quotes,
  spendingOf,
  type StoreView,
  sumQuotes,
  type WantedFilm,
  type TakeHistory,
} from '../../store';
import { createBudgets, figuresOf } from '../status/budgets';
import { type CurrentShot, currentShots, type TakesInput } from '../records/current-takes';
import { takesOf } from '../records/takes';
import { openUnclear } from '../records/unclear-submit';
import { prunedInWords } from '../records/pruned';
import { readFrozen } from '../records/read-frozen';
import { isSameVersion } from '../records/same-version';
import { storedTakeKeys } from '../records/takes-in-store';
import { currentFilm, plannedFilm, areClipsKnown, isMissing, planFilm } from './plan-film';
import { planShots } from './plan-shots';

export interface PlanRequest {
  readonly store: StoreView;
  readonly account: string;
  readonly quotes: Quotes;
  readonly production: FrozenProduction;
  /** The shots of the file, with their rules. */
  readonly shots: ProductionPlan['shots'];
  /**
   * All rules of the file. If given, the plan joins a running render only if that render has the same rules, apart from
   * the budget.
   */
  readonly rules?: ProductionPlan;
  readonly budget?: ProductionBudget | undefined;
  /** The production as written in its file, without directions. */
  readonly written?: FrozenProduction;
  readonly lapsed?: readonly string[];
  /** The shots that a deadline has switched to their fallback. Default: none. */
  readonly byDeadline?: ReadonlySet<string>;
  /** Choices that the proposed change would record, by `ChoiceAddress.context`. */
  readonly choices?: ReadonlyMap<string, Choice>;
  /** True if the production would replace the running version. */
  readonly revises?: boolean;
  /** True if Temporal runs no workflow of the render that the store shows as under way: it was terminated, or lost. */
  readonly isLost?: boolean;
}

const NO_FILM: FilmPlan = { action: 'none', because: ['missing'] };

/** Plans the render of a production, with its price, from the store's records. Sends and stores nothing. */
export async function planRender({
  store,
  account,
  quotes,
  production,
  shots: shotRules,
  rules: fileRules,
  budget,
  written,
  lapsed = [],
  byDeadline = new Set(),
  choices = new Map(),
  revises = false,
  isLost = false,
}: PlanRequest): Promise<RenderPlan> {
  const { productions } = store;
  const [recordedChoices, takes, status, begun] = await Promise.all([
    store.directing.choices(production.id),
    takesOf(store, account, production.id),
    productions.archived(production.id),
    productions.begun(production.id),
  ]);
  const underWay = !isLost && begun !== undefined && begun.renderId !== status?.renderId;
  const isOwnRunning = underWay && begun.account === account;
  const joined =
    isOwnRunning && (revises || (await isSameVersion(store, begun, { production, plan: fileRules })))
      ? begun
      : undefined;
  // A running render keeps its rules when another render joins it.
  const rules = joined === undefined || revises ? shotRules : ((await productions.plan(joined))?.shots ?? shotRules);
  const shots = planShots({
    production,
    account,
    takes,
    choices: new Map([...recordedChoices, ...choices]),
    written,
    status,
    ...(isOwnRunning
      ? { underWay: await shotsUnderWay(store, begun, { account, takes, choices: recordedChoices }) }
      : {}),
    policies: new Map(rules.map((shot) => [shot.id, shot])),
    joined,
    storedTakeKeys: await storedTakeKeys(store, takes),
    nowMs: Date.now(),
  });
  const film = plannedFilm(production, shots, takes);
  const isStored = film !== undefined && areClipsKnown(film) && (await store.films.made(film)) !== undefined;
  const asked = new Map(production.shots.map(({ id, model, parameters }) => [id, { model: model.id, parameters }]));
  const priced = await Promise.all(
    shots.map(async (shot): Promise<ShotPlan> => {
      const take = takes.get(shot.shot)?.find((one) => one.take === shot.take);
      const isPruned = shot.newTakes === 0 && shot.action === 'collected' && take?.pruned !== undefined;
      const ask = shot.newTakes > 0 || isPruned ? asked.get(shot.shot) : undefined;
      const quote = ask === undefined ? null : await quotes(ask.model, ask.parameters);
      return {
        ...shot,
        reason: isPruned && quote !== null ? prunedInWords(quote) : shot.reason,
        quote: shot.newTakes > 0 ? quote : null,
        ...(byDeadline.has(shot.shot) ? { directedBy: 'deadline' as const } : {}),
      };
    }),
  );
  return {
    production: production.id,
    title: production.title,
    account,
    shots: priced,
    film:
      film !== undefined && shots.some(isMissing) ? NO_FILM : planFilm(film, isStored, await lastFilm(store, status)),
    quote: sumQuotes(
      priced.flatMap(({ quote, newTakes }) => (quote === null ? [] : Array.from({ length: newTakes }, () => quote))),
    ),
    budget: await remainingBudget(store, production.id, budget, async () =>
      spendingOf(takes, quotes, await brokenTakes(store.ledger, production.id, account)),
    ),
    underWay,
    joins: joined !== undefined,
    lapsed: [...lapsed],
    ...unclearBeside(priced, takes),
  };
}

function unclearBeside(
  shots: readonly ShotPlan[],
  takes: ReadonlyMap<string, readonly TakeHistory[]>,
): Pick<RenderPlan, 'unclear'> {
  const unclear = shots.flatMap(({ shot, newTakes }) =>
    (newTakes === 0 ? [] : (takes.get(shot) ?? []))
      .filter((history) => openUnclear(history) !== undefined)
      .map(({ take }) => ({ shot, take })),
  );
  return unclear.length === 0 ? {} : { unclear };
}

/** Plans the rest of a production that has not completed; undefined if its frozen production is lost. */
export async function planRest(
  request: Omit<PlanRequest, 'production' | 'shots'>,
  { production, frozen }: ProductionStatus,
): Promise<RenderPlan | undefined> {
  const { assets } = request.store;
  if (!(await assets.has(frozen))) return undefined;
  const { productions } = request.store;
  const begun = await productions.begun(production);
  const plan = begun === undefined ? undefined : await productions.plan(begun);
  return planRender({ ...request, production: await readFrozen(assets, frozen), shots: plan?.shots ?? [] });
}

/**
 * Returns a function that computes the shots of the running version on its first call. The function returns no shots if
 * the frozen production is lost.
 */
async function shotsUnderWay(
  store: StoreView,
  begun: Begun,
  known: Pick<TakesInput, 'account' | 'takes' | 'choices'>,
): Promise<() => ReadonlyMap<string, CurrentShot>> {
  if (!(await store.assets.has(begun.production))) return () => new Map();
  const [production, plan] = await Promise.all([
    readFrozen(store.assets, begun.production),
    store.productions.plan(begun),
  ]);
  const sideBySide = new Map(plan?.shots.map(({ id, takes }) => [id, takes]));
  let shots: ReadonlyMap<string, CurrentShot> | undefined;
  return () => (shots ??= currentShots({ ...known, production, sideBySide }));
}

/** The budget in force and its remaining credits, according to the ledger; null if there is no budget. */
async function remainingBudget(
  store: StoreView,
  productionId: string,
  file: ProductionBudget | undefined,
  spending: () => Promise<ProductionSpending>,
): Promise<RenderPlan['budget']> {
  const budget = await createBudgets(store).inForce(productionId, file);
  if (budget === undefined) return null;
  const { credits, spent, reserved } = figuresOf(budget, await spending());
  const left = exactCredits(credits - spent - reserved);
  return left < 0 ? { credits, left: 0, over: -left } : { credits, left };
}

/** The film with which the production last ended; undefined if it had none or its frozen production is lost. */
async function lastFilm({ assets }: StoreView, status: ProductionStatus | undefined): Promise<WantedFilm | undefined> {
  if (status === undefined || status.film === null || !(await assets.has(status.frozen))) return undefined;
  return currentFilm(await readFrozen(assets, status.frozen), status);
}
