import { exactCredits } from '../../contracts/money/credits';
import { knownModel } from '../../contracts/gateway/models';
import { estimatePrice, type KnownRate, type TaskKind } from '../../contracts/money/price-estimate';
import { type ModelPrice, type PriceTable } from '../../contracts/money/price-table';
import { type Quote, type QuoteSum } from '../../contracts/money/quote';
import { type LearnedPrice, learnedPrice, learnedRates } from './price-notes';
import { type Records } from '../records';
import { kindKey, type PricedTask, pricedTask } from './task-kind';

/** Quotes the price of a task from the model's id and the parameters of a frozen shot. */
export type Quotes = (model: string, parameters: Readonly<Record<string, unknown>>) => Promise<Quote>;

/**
 * Quotes an account's tasks from the charges of its takes, else from the price table, else as unknown.
 *
 * Charges come first, since they are the gateway's real prices. Each kind of task is looked up once, unless its look-up
 * fails.
 */
export function createQuotes(records: Records, account: string, table: PriceTable): Quotes {
  const pricesByKind = new Map<string, Promise<LearnedPrice | undefined>>();
  const ratesByModel = new Map<string, Promise<readonly KnownRate[]>>();

  function learned(kind: TaskKind): Promise<LearnedPrice | undefined> {
    const key = JSON.stringify(kind);
    return keptUnlessFailed(pricesByKind, key, () => learnedPrice(records, account, kind));
  }

  /** The known price of each kind of task of the model: from charges, else from the price table. */
  async function ratesFor(kind: TaskKind): Promise<readonly KnownRate[]> {
    const charges = await keptUnlessFailed(ratesByModel, kind.model, () => learnedRates(records, account, kind.model));
    const charged = new Set(charges.map((rate) => kindKey(rate.kind)));
    return [...charges, ...tableRates(table, kind).filter((rate) => !charged.has(kindKey(rate.kind)))];
  }

  return async (model, parameters) => {
    const task = pricedTask(model, parameters);
    const { resolution } = task.kind;
    const price = priceFromCharges(task, await learned(task.kind)) ?? priceFromTable(task, table);
    if (price !== undefined) return { model, resolution, ...price };
    const estimate = estimatePrice(task.kind, task.units, await ratesFor(task.kind));
    return { model, resolution, ...UNKNOWN, ...(estimate === undefined ? {} : { estimate }) };
  };
}

function keptUnlessFailed<T>(kept: Map<string, Promise<T>>, key: string, look: () => Promise<T>): Promise<T> {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const looking = look();
  kept.set(key, looking);
  looking.catch(() => kept.delete(key));
  return looking;
}

/** Adds up quotes at their highest prices. */
export function sumQuotes(quotes: readonly Quote[]): QuoteSum {
  const estimates = quotes.flatMap(({ estimate }) => estimate ?? []);
  return {
    tasks: quotes.length,
    credits: exactCredits(quotes.reduce((sum, { credits }) => sum + (credits?.high ?? 0), 0)),
    unknown: quotes.filter(({ credits }) => credits === null).length,
    ...(estimates.length === 0 ? {} : { estimated: { tasks: estimates.length, credits: sumCredits(estimates) } }),
  };
}

export function addSums(a: QuoteSum, b: QuoteSum): QuoteSum {
  const estimates = [a, b].flatMap(({ estimated }) => estimated ?? []);
  const tasks = estimates.reduce((sum, one) => sum + one.tasks, 0);
  return {
    tasks: a.tasks + b.tasks,
    credits: sumCredits([a, b]),
    unknown: a.unknown + b.unknown,
    ...(tasks === 0 ? {} : { estimated: { tasks, credits: sumCredits(estimates) } }),
  };
}

function sumCredits(sums: readonly { readonly credits: number }[]): number {
  return exactCredits(sums.reduce((sum, { credits }) => sum + credits, 0));
}

type Price = Omit<Quote, 'model' | 'resolution'>;

const UNKNOWN: Price = { seconds: null, credits: null, source: null, takes: 0 };

function priceFromCharges({ kind, units }: PricedTask, learned: LearnedPrice | undefined): Price | undefined {
  if (learned === undefined) return undefined;
  const credits = { low: exactCredits(learned.low * units), high: exactCredits(learned.high * units) };
  return { seconds: kind.unit === 'second' ? units : null, credits, source: 'ledger', takes: learned.takes };
}

function priceFromTable({ kind, units }: PricedTask, table: PriceTable): Price | undefined {
  const { model, resolution, unit } = kind;
  const entry = entryOf(table, model);
  if (entry === undefined) return undefined;
  const isTimed = 'perSecond' in entry;
  // A task of unknown length has no price per second.
  const prices = !isTimed ? entry.perTask : unit === 'second' ? entry.perSecond : undefined;
  const credits = typeof prices === 'object' ? atResolution(prices, resolution) : prices;
  if (credits === undefined) return undefined;
  const total = exactCredits(isTimed ? credits * units : credits);
  return { seconds: isTimed ? units : null, credits: { low: total, high: total }, source: 'table', takes: 0 };
}

function tableRates(table: PriceTable, { model, resolution }: TaskKind): readonly KnownRate[] {
  const entry = entryOf(table, model);
  if (entry === undefined) return [];
  const unit = 'perSecond' in entry ? 'second' : 'task';
  const prices = 'perSecond' in entry ? entry.perSecond : entry.perTask;
  if (typeof prices === 'number') return [{ kind: { model, resolution, unit }, credits: prices }];
  return Object.entries(prices).map(([name, credits]) => ({
    kind: { model, resolution: name.toLowerCase(), unit },
    credits,
  }));
}

function entryOf(table: PriceTable, model: string): ModelPrice | undefined {
  return Object.entries(table).find(([name]) => name === model || knownModel(name)?.id === model)?.[1];
}

function atResolution(prices: Readonly<Record<string, number>>, resolution: string | null): number | undefined {
  return Object.entries(prices).find(([name]) => name.toLowerCase() === resolution)?.[1];
}
