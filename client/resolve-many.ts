import { type Decision } from '../contracts/decision';
import { type QuoteSum } from '../contracts/quote';
import { fewAtOnce, type Quotes, readableTakes, type Store, sumOf } from '../store';
import { type Answers } from './answers';
import { openUnclear } from './books/unclear';
import { Refused } from './refused';

/** An answer that many takes can have alike: others name one task or one file. */
export type DecisionForMany = Extract<Decision, { readonly kind: 'resubmit' | 'skip' }>;

/** The unclear takes of a production or batch that nobody has decided about. */
export interface OpenUnclear {
  readonly takes: readonly { readonly shotId: string; readonly take: number }[];
  /** What the gateway may have charged for them. To send all of them again costs as much once more. */
  readonly quote: QuoteSum;
}

export interface ResolvedMany {
  /** Takes that the decision was taken for. */
  readonly decided: number;
  /** Takes that it was refused for, and why. They wait as before. */
  readonly refused: readonly { readonly shotId: string; readonly take: number; readonly reason: string }[];
  /** Whether any of them goes on by itself; the next render does the others. */
  readonly goesOn: boolean;
}

/** Answers at once: as many as a worker decides at once. */
const AT_ONCE = 10;

/** Reads from the ledger which takes are unclear, in the order of their shots' names. Takes that cannot be read are left out. */
export async function openUnclears(
  store: Store,
  { account, quotes }: { readonly account: string; readonly quotes: Quotes },
  productionId: string,
): Promise<OpenUnclear> {
  const shots = [...(await store.ledger.shots(productionId))].toSorted();
  const found = await fewAtOnce(shots, async (shotId) => {
    const { takes } = await readableTakes(store, { productionId, shotId });
    return takes
      .filter((one) => one.intent.account === account && openUnclear(one) !== undefined)
      .map(({ take, intent }) => ({ shotId, take, intent }));
  });
  const unclear = found.flat();
  const priced = await fewAtOnce(unclear, ({ intent }) => quotes(intent.model.id, intent.parameters));
  return { takes: unclear.map(({ shotId, take }) => ({ shotId, take })), quote: sumOf(priced) };
}

/** Gives each take the same answer. One that refuses it keeps no other from having it. */
export async function resolveMany(
  answers: Pick<Answers, 'resolve'>,
  productionId: string,
  takes: OpenUnclear['takes'],
  decision: DecisionForMany,
): Promise<ResolvedMany> {
  const refused: ResolvedMany['refused'][number][] = [];
  let decided = 0;
  let isGoingOn = false;
  const left = [...takes];
  const answer = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) {
      try {
        const { goesOn } = await answers.resolve(productionId, one.shotId, decision, one.take);
        decided += 1;
        isGoingOn ||= goesOn;
      } catch (error) {
        if (!(error instanceof Refused)) {
          left.length = 0;
          throw error;
        }
        refused.push({ ...one, reason: error.message });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, answer));
  return { decided, refused, goesOn: isGoingOn };
}
