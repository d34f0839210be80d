import { exactCredits } from '../contracts/credits';
import { knownModel } from '../contracts/models';
import { type PriceTable } from '../contracts/price-table';
import { type Quote, type QuoteSum } from '../contracts/quote';
import { type LearnedPrice, learnedPrice } from './price-notes';
import { type Records } from './records';
import { type PricedTask, pricedTask, type TaskKind } from './task-kind';

/** Tells what a task would be charged: a model's id and its parameters, as a frozen shot has them. */
export type Quotes = (model: string, parameters: Readonly<Record<string, unknown>>) => Promise<Quote>;

/**
 * Quotes for the tasks of an account: what its takes were charged, else what the table says, else nobody knows.
 *
 * What was charged goes before the table, since it is what the gateway does. Each kind is looked up once.
 */
export function createQuotes(records: Records, account: string, table: PriceTable): Quotes {
  const looked = new Map<string, Promise<LearnedPrice | undefined>>();

  function learned(kind: TaskKind): Promise<LearnedPrice | undefined> {
    const key = JSON.stringify(kind);
    const looking = looked.get(key) ?? learnedPrice(records, account, kind);
    looked.set(key, looking);
    return looking;
  }

  return async (model, parameters) => {
    const task = pricedTask(model, parameters);
    const price = quoted(task, await learned(task.kind)) ?? quotedByTable(task, table) ?? UNKNOWN;
    return { model, resolution: task.kind.resolution, ...price };
  };
}

/** Adds quotes up, each by its highest price. */
export function sumOf(quotes: readonly Quote[]): QuoteSum {
  return {
    tasks: quotes.length,
    credits: exactCredits(quotes.reduce((sum, { credits }) => sum + (credits?.high ?? 0), 0)),
    unknown: quotes.filter(({ credits }) => credits === null).length,
  };
}

type Price = Omit<Quote, 'model' | 'resolution'>;

const UNKNOWN: Price = { seconds: null, credits: null, source: null, takes: 0 };

function quoted({ kind, units }: PricedTask, learned: LearnedPrice | undefined): Price | undefined {
  if (learned === undefined) return undefined;
  const credits = { low: exactCredits(learned.low * units), high: exactCredits(learned.high * units) };
  return { seconds: kind.unit === 'second' ? units : null, credits, source: 'ledger', takes: learned.takes };
}

function quotedByTable({ kind, units }: PricedTask, table: PriceTable): Price | undefined {
  const { model, resolution, unit } = kind;
  const entry = Object.entries(table).find(([name]) => name === model || knownModel(name)?.id === model)?.[1];
  if (entry === undefined) return undefined;
  const isTimed = 'perSecond' in entry;
  // A task of unknown length has no price by the second.
  const prices = !isTimed ? entry.perTask : unit === 'second' ? entry.perSecond : undefined;
  const credits = typeof prices === 'object' ? atResolution(prices, resolution) : prices;
  if (credits === undefined) return undefined;
  const total = exactCredits(isTimed ? credits * units : credits);
  return { seconds: isTimed ? units : null, credits: { low: total, high: total }, source: 'table', takes: 0 };
}

function atResolution(prices: Readonly<Record<string, number>>, resolution: string | null): number | undefined {
  return Object.entries(prices).find(([name]) => name.toLowerCase() === resolution)?.[1];
}
