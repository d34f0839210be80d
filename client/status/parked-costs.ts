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
  const unclear = takes.flatMap((take) =>
    unclearSubmit(take) === undefined ? [] : take.sendings.filter(isUnknown).map(() => take),
  );
  const charged = await Promise.all(unclear.map((take) => priceOf(take, quotes)));
  const parked = unclear.at(-1) ?? takes.at(-1);
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

/** True if no record says whether the gateway accepted this sending. The gateway may charge for it. */
function isUnknown(sending: Sending): boolean {
  return acceptance(sending) === undefined && !isRefused(sending);
}

function plus(a: Credits, b: Credits): Credits {
  return a === null || b === null ? null : { low: exactCredits(a.low + b.low), high: exactCredits(a.high + b.high) };
}
