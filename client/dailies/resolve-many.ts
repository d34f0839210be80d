import { type Decision } from '../../contracts/decision';
import { type QuoteSum } from '../../contracts/quote';
import { fewAtOnce, type Quotes, readableTakes, type Store, sumOf } from '../../store';
import { type Answers } from './answers';
import { openUnclear } from '../records/unclear-submit';
import { Refused } from '../wording/refused';

/** A decision that can apply to many takes. Others name one task or file. */
export type DecisionForMany = Extract<Decision, { readonly kind: 'resubmit' | 'skip' }>;

/** The unclear takes of a production or batch that nobody has decided on. */
export interface OpenUnclear {
  readonly takes: readonly { readonly shotId: string; readonly take: number }[];
  /** What the gateway may have charged for them. Sending all of them again costs the same once more. */
  readonly quote: QuoteSum;
}

export interface ResolvedMany {
  /** Takes with the decision. */
  readonly decided: number;
  /** Takes that refused the decision, and why. They wait as before. */
  readonly refused: readonly { readonly shotId: string; readonly take: number; readonly reason: string }[];
  /** Whether any take continues by itself. The next render continues the others. */
  readonly goesOn: boolean;
}

/** Concurrent decisions: as many as a worker handles at once. */
const AT_ONCE = 10;

/** Reads the unclear takes from the ledger, sorted by shot. Unreadable takes are left out. */
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

/** Gives each take the same decision. Takes that refuse it do not stop the others. */
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
