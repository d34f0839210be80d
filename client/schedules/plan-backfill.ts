import { type AssetRef } from '../../contracts/asset';
import { type QuoteSum } from '../../contracts/money/quote';
import { type ScheduleTemplate } from '../../contracts/render/scheduled-run';
import { addSums, type Quotes, readBatchIndex, readBatchPage, readJson, type Store, sumQuotes } from '../../store';
import { shotsIn } from '../batch/plan-retry';
import { rowQuote, shotsQuote } from '../batch/row-quote';
import { type Backfill } from './backfill';

/** The version of a schedule that one run would render, and the run's highest price. */
export interface RunPlan {
  readonly schedule: string;
  readonly version: number;
  /** Retries of failed tasks are not included. */
  readonly quote: QuoteSum;
}

/** The plan of a backfill. The quote is for all runs that have not begun. */
export interface BackfillPlan extends Backfill, RunPlan {}

/**
 * The highest price of one run of a schedule's frozen template. The values that a run fills into texts do not change
 * the price.
 */
export async function runQuote(
  { assets }: Pick<Store, 'assets'>,
  template: AssetRef,
  quotes: Quotes,
): Promise<QuoteSum> {
  // `freezeTemplate` has stored a value of this type.
  const frozen = (await readJson(assets, template)) as ScheduleTemplate;
  if (frozen.kind === 'production') return shotsQuote(quotes, frozen.production.shots, frozen.plan.shots);
  let quote = sumQuotes([]);
  for (const ref of (await readBatchIndex(assets, frozen.index)).pages) {
    const page = await readBatchPage(assets, ref);
    const shotsOf = shotsIn({ assets }, page);
    for (const row of page.rows) quote = addSums(quote, await rowQuote(quotes, row, await shotsOf(row)));
  }
  return quote;
}

export function manyTimes(quote: QuoteSum, times: number): QuoteSum {
  return Array.from({ length: times }, () => quote).reduce(addSums, sumQuotes([]));
}
