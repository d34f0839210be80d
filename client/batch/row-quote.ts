import { type BatchRow } from '../../contracts/render/batch-page';
import { type FrozenShot } from '../../contracts/render/frozen';
import { type PlannedShot } from '../../contracts/render/plan';
import { type QuoteSum } from '../../contracts/money/quote';
import { fewAtOnce, type Quotes, sumQuotes } from '../../store';

/** Maximum number of rows whose keys the plan of a batch lists. */
export const MOST_NAMED_ROWS = 20;

/** The highest price of a row: all takes of its shots, including takes that are already rendered. */
export function rowQuote(quotes: Quotes, row: BatchRow, shots: readonly FrozenShot[]): Promise<QuoteSum> {
  return shotsQuote(quotes, shots, row.kind === 'production' ? row.plan.shots : []);
}

/** @param planned the number of takes of each shot. A shot that is not listed has one take. */
export async function shotsQuote(
  quotes: Quotes,
  shots: readonly FrozenShot[],
  planned: readonly Pick<PlannedShot, 'id' | 'takes'>[],
): Promise<QuoteSum> {
  const takes = new Map(planned.map((shot) => [shot.id, shot.takes]));
  const priced = await fewAtOnce(shots, async ({ id, model, parameters }) => {
    const one = await quotes(model.id, parameters);
    return Array.from({ length: takes.get(id) ?? 1 }, () => one);
  });
  return sumQuotes(priced.flat());
}
