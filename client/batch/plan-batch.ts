import { knownModel } from '../../contracts/gateway/models';
import { type QuoteSum } from '../../contracts/money/quote';
import { addSums, type Quotes, type StoreView, sumQuotes } from '../../store';
import { checkName } from './batch-name';
import { type CheckedBatch } from '../batch-file/check-batch';
import { freezeBatch, freezing, intoNothing } from './freeze-batch';
import { MOST_NAMED_ROWS, rowQuote } from './row-quote';

/** The rows that a batch would render if it began now, and their price. */
export interface BatchPlan {
  readonly rows: number;
  /** Rows to render: new, changed, or not yet completed. */
  readonly open: number;
  /** Keys of the first open rows, in the order of the file. */
  readonly first: readonly string[];
  /**
   * The highest price of the rows to render. For a row that is a production, it includes takes that are already
   * rendered. It does not include automatic retries of failed tasks.
   */
  readonly quote: QuoteSum;
  /** For each model that Dailies does not know: names of the parameters, which only the gateway checks. */
  readonly unchecked: Readonly<Record<string, readonly string[]>>;
}

export interface PlanOptions {
  readonly store: StoreView;
  readonly account: string;
  readonly quotes: Quotes;
  /** `path` and `takeOver`: see `BatchRequest`. */
  readonly path: string;
  readonly takeOver: boolean;
}

/**
 * Plans a batch from its rows and the store. Sends and stores nothing.
 *
 * @throws Refused if the name belongs to something else; see `checkName`.
 */
export async function planBatch(
  batch: CheckedBatch,
  { store, account, quotes, ...request }: PlanOptions,
): Promise<BatchPlan> {
  await checkName(store, { batchId: batch.id, ...request });
  const first: string[] = [];
  const unchecked = new Map<string, Set<string>>();
  let quote = sumQuotes([]);
  const { rows, open } = await freezeBatch(batch, {
    target: intoNothing(),
    ...(await freezing(store, account, batch.id)),
    async onOpen(row, shots) {
      if (first.length < MOST_NAMED_ROWS) first.push(row.key);
      for (const { model, parameters, files, texts = {} } of shots) {
        if (knownModel(model.id) !== undefined) continue;
        const names = unchecked.get(model.id) ?? new Set();
        for (const name of [parameters, texts, files].flatMap(Object.keys)) names.add(name);
        unchecked.set(model.id, names);
      }
      quote = addSums(quote, await rowQuote(quotes, row, shots));
    },
  });
  const named = [...unchecked].map(([model, names]) => [model, [...names]] as const);
  return { rows, open, first, quote, unchecked: Object.fromEntries(named) };
}
