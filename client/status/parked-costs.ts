import { exactCredits } from '../../contracts/money/credits';
import { ANSWERS, type Decision } from '../../contracts/render/decision';
import { type Manifest, type ParkedCosts } from '../../contracts/manifest';
import { acceptance, isRefused, type Quotes, type Sending, type TakeHistory } from '../../store';
import { unclearSubmit } from '../records/unclear-submit';

type Parked = NonNullable<Manifest['shots'][number]['parked']>;
type Credits = ParkedCosts['mayBeCharged'];

const NOTHING: Credits = { low: 0, high: 0 };

/** Adds the costs of each parked shot to the manifest. */
export async function withParkedCosts(
  manifest: Manifest,
  takes: ReadonlyMap<string, readonly TakeHistory[]>,
  quotes: Quotes,
): Promise<Manifest> {
  const shots = await Promise.all(
    manifest.shots.map(async (shot) => {
      const own = takes.get(shot.id) ?? [];
      if (shot.parked === null || own.length === 0) return shot;
      const costs = await parkedCosts(shot.parked, own, quotes);
      if (shot.parked.takes === undefined) return { ...shot, parked: { ...shot.parked, costs } };
      const named = await Promise.all(
        shot.parked.takes.map(async (one) => {
          const history = own.find(({ take }) => take === one.take);
          return { ...one, resubmit: history === undefined ? null : await priceOf(history, quotes) };
        }),
      );
      return { ...shot, parked: { ...shot.parked, takes: named, costs } };
    }),
  );
  return { ...manifest, shots };
}

/** The possible charges for the unclear submits of a parked shot, and the additional cost of each answer. */
export async function parkedCosts(
  { for: parkedFor }: Pick<Parked, 'for'>,
  takes: readonly TakeHistory[],
  quotes: Quotes,
): Promise<ParkedCosts> {
  const nowMs = Date.now();
  // A take that was sent again and accepted may still be charged for its first sending.
  const unclear = takes.flatMap((take) => take.sendings.filter((one) => isUnknown(one, nowMs)).map(() => take));
  const charged = await Promise.all(unclear.map((take) => priceOf(take, quotes)));
  const parked = takes.findLast((take) => unclearSubmit(take, nowMs) !== undefined) ?? takes.at(-1);
  const priceOfAnother = parked === undefined ? null : await priceOf(parked, quotes);
  const costOf = (answer: Decision['kind']): Credits => (answer === 'resubmit' ? priceOfAnother : NOTHING);
  return {
    unclearSubmits: unclear.length,
    mayBeCharged: charged.reduce<Credits>((sum, one) => plus(sum, one && { ...one, low: 0 }), NOTHING),
    answers: ANSWERS[parkedFor].map((answer) => ({ answer, credits: costOf(answer) })),
  };
}

async function priceOf({ intent }: TakeHistory, quotes: Quotes): Promise<Credits> {
  return (await quotes(intent.model.id, intent.parameters)).credits;
}

/**
 * True if the gateway may have accepted this sending, and so may charge for it, but no record says so. False while its
 * sender waits for the answer.
 */
function isUnknown(sending: Sending, nowMs: number): boolean {
  if (acceptance(sending) !== undefined || isRefused(sending)) return false;
  return sending.unclear !== undefined || nowMs >= (sending.sent === null ? 0 : Date.parse(sending.sent.until));
}

function plus(a: Credits, b: Credits): Credits {
  return a === null || b === null ? null : { low: exactCredits(a.low + b.low), high: exactCredits(a.high + b.high) };
}
