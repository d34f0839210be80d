import { type BatchRow } from '../../contracts/batch';
import { knownModel } from '../../contracts/models';
import { type QuoteSum } from '../../contracts/quote';
import { plusSum, type Quotes, type StoreView, sumOf } from '../../store';
import { checkName } from './batch-name';
import { freezing } from './batch-runs';
import { type CheckedBatch } from './check-batch';
import { freezeBatch, intoNothing } from './freeze-batch';

/** Keys that are named; of a hundred thousand rows nobody reads more. */
const NAMED = 20;

/** What a batch would do if it were begun now. */
export interface BatchPlan {
  readonly rows: number;
  /** Rows to render: new, changed, or not completed yet. */
  readonly open: number;
  /** The first of those, in the order of the file. */
  readonly first: readonly string[];
  /**
   * Of the rows to render, by the highest price of each; of a production all takes side by side, also those that it has
   * already. Further takes for tasks that fail come on top.
   */
  readonly quote: QuoteSum;
  /** By models that Dailies does not know: names of the parameters that nobody checks before the gateway does. */
  readonly unchecked: Readonly<Record<string, readonly string[]>>;
}

export interface PlanOptions {
  readonly store: StoreView;
  readonly account: string;
  readonly quotes: Quotes;
  /** As in BatchRequest. */
  readonly path: string;
  readonly takeOver: boolean;
}

/**
 * Looks at every row and at what the store has. Sends and stores nothing.
 *
 * @throws Refused where the name is another's.
 */
export async function planBatch(
  batch: CheckedBatch,
  { store, account, quotes, ...request }: PlanOptions,
): Promise<BatchPlan> {
  await checkName(store, { batchId: batch.id, ...request });
  const first: string[] = [];
  const unchecked = new Map<string, Set<string>>();
  let quote = sumOf([]);
  const { rows, open } = await freezeBatch(batch, {
    target: intoNothing(),
    ...(await freezing(store, account, batch.id)),
    async onOpen(row, shots) {
      if (first.length < NAMED) first.push(row.key);
      for (const { id, model, parameters, files, texts = {} } of shots) {
        if (knownModel(model.id) === undefined) {
          const names = unchecked.get(model.id) ?? new Set();
          for (const name of [parameters, texts, files].flatMap(Object.keys)) names.add(name);
          unchecked.set(model.id, names);
        }
        const one = await quotes(model.id, parameters);
        quote = plusSum(quote, sumOf(Array.from({ length: takesOf(row, id) }, () => one)));
      }
    },
  });
  const named = [...unchecked].map(([model, names]) => [model, [...names]] as const);
  return { rows, open, first, quote, unchecked: Object.fromEntries(named) };
}

function takesOf(row: BatchRow, shotId: string): number {
  return row.kind === 'production' ? (row.plan.shots.find(({ id }) => id === shotId)?.takes ?? 1) : 1;
}
