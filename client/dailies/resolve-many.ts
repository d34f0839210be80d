import { type Decision } from '../../contracts/render/decision';
import { type QuoteSum } from '../../contracts/money/quote';
import { fewAtOnce, type Quotes, readableTakes, type Store, sumQuotes } from '../../store';
import { type Answers } from './answers';
import { hasCompletedBeside, openUnclear } from '../records/unclear-submit';
import { Refused } from '../wording/refused';

/** A decision that can apply to many unclear takes. Other decisions about unclear takes name one task or file. */
export type DecisionForMany = Extract<Decision, { readonly kind: 'resubmit' | 'skip' }>;

/** The unclear takes of a production or batch that wait for a decision. */
export interface UnclearTakes {
  readonly takes: readonly { readonly shotId: string; readonly take: number }[];
  /** The takes' price. The gateway may have charged it already. Sending all takes again may cost as much once more. */
  readonly quote: QuoteSum;
}

export interface ResolvedMany {
  /** The number of takes that got the decision. */
  readonly decided: number;
  /** The takes for which the decision was refused. */
  readonly refused: readonly { readonly shotId: string; readonly take: number; readonly reason: string }[];
  /** True if any decided take continues by itself. The next render continues the other decided takes. */
  readonly goesOn: boolean;
}

/**
 * Thrown if an error ends the decisions early. The message says how many takes got the decision. The cause is the first
 * error.
 */
export class DecisionsStopped extends Error {
  override readonly name = 'DecisionsStopped';

  /** @param made all decisions, including those under way at the error. */
  constructor(
    readonly made: ResolvedMany,
    count: number,
    /** The first error, and each later one that has another message. */
    readonly errors: readonly unknown[],
  ) {
    super(`${made.decided} of ${count} takes are decided: ${errors.map(inWords).join('; ')}`, { cause: errors[0] });
  }
}

/** Maximum number of concurrent decisions: as many as a worker handles at once. */
const DECISIONS_AT_ONCE = 10;

/**
 * Reads the account's unclear takes from the ledger, sorted by shot. Leaves out unreadable takes. For `resubmit`, also
 * leaves out a take if another take of the same shot and render has completed: the shot then does not wait.
 */
export async function readUnclearTakes(
  store: Store,
  {
    account,
    quotes,
    decision,
  }: { readonly account: string; readonly quotes: Quotes; readonly decision: DecisionForMany },
  productionId: string,
): Promise<UnclearTakes> {
  const shots = [...(await store.ledger.shots(productionId))].toSorted();
  const byShot = await fewAtOnce(shots, async (shotId) => {
    const { takes } = await readableTakes(store.ledger, { productionId, shotId });
    return takes
      .filter((one) => one.intent.account === account && openUnclear(one) !== undefined)
      .filter((one) => decision.kind === 'skip' || !hasCompletedBeside(one, takes))
      .map(({ take, intent }) => ({ shotId, take, intent }));
  });
  const unclear = byShot.flat();
  const priced = await fewAtOnce(unclear, ({ intent }) => quotes(intent.model.id, intent.parameters));
  return { takes: unclear.map(({ shotId, take }) => ({ shotId, take })), quote: sumQuotes(priced) };
}

/**
 * Sends the same decision to each take. A refusal does not stop the remaining takes; any other error does.
 *
 * @throws DecisionsStopped after such an error; the error itself if it is the only result.
 */
export async function resolveMany(
  answers: Pick<Answers, 'resolve'>,
  productionId: string,
  takes: UnclearTakes['takes'],
  decision: DecisionForMany,
): Promise<ResolvedMany> {
  const refused: ResolvedMany['refused'][number][] = [];
  let decided = 0;
  let isGoingOn = false;
  const errors: unknown[] = [];
  const remaining = [...takes];
  const answer = async (): Promise<void> => {
    for (let one = remaining.shift(); one !== undefined; one = remaining.shift()) {
      try {
        const { goesOn } = await answers.resolve(productionId, one.shotId, decision, one.take);
        decided += 1;
        isGoingOn ||= goesOn;
      } catch (error) {
        if (!(error instanceof Refused)) {
          remaining.length = 0;
          errors.push(error);
          return;
        }
        refused.push({ ...one, reason: error.message });
      }
    }
  };
  await Promise.all(Array.from({ length: DECISIONS_AT_ONCE }, answer));
  const made = { decided, refused, goesOn: isGoingOn };
  if (errors.length === 0) return made;
  const distinct = [...new Map(errors.toReversed().map((error) => [inWords(error), error])).values()].toReversed();
  const isOnlyResult = decided === 0 && refused.length === 0 && distinct.length === 1;
  throw isOnlyResult ? errors[0] : new DecisionsStopped(made, takes.length, distinct);
}

function inWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
