import { exactCredits } from '../../contracts/money/credits';
import { acceptance, ledgerState, type TakeHistory, tasksOf } from '../../store';
import { openUnclear } from '../records/unclear-submit';

/** Totals over takes. `accepted` counts tasks, `unknown` counts submits, `credits` is a sum, the rest count takes. */
export interface Tally {
  readonly takes: number;
  /** Takes that reuse a take of another production, at no cost. Not part of `takes`. */
  readonly aliases: number;
  /** Tasks that the gateway accepted. */
  readonly accepted: number;
  /** Takes that the gateway finally refused. */
  readonly refused: number;
  /** Takes that may or may not have been accepted, and that wait for a decision. */
  readonly unclear: number;
  /** Submits that are recorded as neither accepted nor refused: unclear (decided or not), or still in flight. */
  readonly unknown: number;
  /** Takes whose task is known to have ended. */
  readonly settled: number;
  readonly failed: number;
  /** Settled takes whose charge is unknown. */
  readonly chargeUnknown: number;
  /** The sum of the known charges. */
  readonly credits: number;
}

const NOTHING: Tally = {
  takes: 0,
  aliases: 0,
  accepted: 0,
  refused: 0,
  unclear: 0,
  unknown: 0,
  settled: 0,
  failed: 0,
  chargeUnknown: 0,
  credits: 0,
};

export function tallyOf(histories: readonly TakeHistory[]): Tally {
  return histories.map(tallyOfOne).reduce(add, NOTHING);
}

function tallyOfOne(history: TakeHistory): Tally {
  const { sendings, settled, intent } = history;
  if (intent.alias !== undefined) return { ...NOTHING, aliases: 1 };
  const count = (isCounted: boolean): number => (isCounted ? 1 : 0);
  return {
    takes: 1,
    aliases: 0,
    accepted: tasksOf(history).length,
    refused: count(ledgerState(history).is === 'refused'),
    unclear: count(openUnclear(history) !== undefined),
    unknown: sendings.filter((one) => acceptance(one) === undefined && one.refused === undefined).length,
    settled: count(settled !== undefined),
    failed: count(settled?.state === 'failed'),
    chargeUnknown: count(settled?.credits === null),
    credits: settled?.credits ?? 0,
  };
}

function add(a: Tally, b: Tally): Tally {
  return {
    takes: a.takes + b.takes,
    aliases: a.aliases + b.aliases,
    accepted: a.accepted + b.accepted,
    refused: a.refused + b.refused,
    unclear: a.unclear + b.unclear,
    unknown: a.unknown + b.unknown,
    settled: a.settled + b.settled,
    failed: a.failed + b.failed,
    chargeUnknown: a.chargeUnknown + b.chargeUnknown,
    credits: exactCredits(a.credits + b.credits),
  };
}
