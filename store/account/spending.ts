import { type BrokenTake } from '../ledger/broken-takes';
import {
  type OpenSending,
  type ProductionSpending,
  type Reservation,
  type ShotSpending,
} from '../../contracts/money/budget';
import { exactCredits } from '../../contracts/money/credits';
import { MAX_TAKES } from '../../contracts/render/plan';
import { type KnownRate } from '../../contracts/money/price-estimate';
import { type Quotes } from './quotes';
import { acceptance, chargeOf, isRefused, type Sending, type TakeHistory, tasksOf } from '../ledger/take-history';
import { kindKey, pricedTask } from './task-kind';

/**
 * The charges and possible further charges of a production, according to the ledger. Leaves out shots without a sent
 * take.
 *
 * @param brokenTakes takes with unreadable records. They may have been charged.
 */
export async function spendingOf(
  takes: ReadonlyMap<string, readonly TakeHistory[]>,
  quotes: Quotes,
  brokenTakes: readonly BrokenTake[] = [],
): Promise<ProductionSpending> {
  const ids = new Set([...takes.keys(), ...brokenTakes.map(({ shotId }) => shotId)]);
  const shots = await Promise.all(
    [...ids].map(async (shotId): Promise<[string, ShotSpending][]> => {
      const histories = takes.get(shotId) ?? [];
      const sent = histories.filter(({ sendings }) => sendings.length > 0);
      const broken = brokenTakes.filter((take) => take.shotId === shotId && take.sendings.length > 0);
      if (sent.length + broken.length === 0) return [];
      const open = await Promise.all([
        ...sent.map((take) => openSendings(shotId, take, quotes)),
        ...broken.map((take) => brokenSendings(take, histories.at(-1)?.intent, quotes)),
      ]);
      const settled = [...sent, ...broken].filter((take) => take.settled?.credits != null);
      const charged =
        sent.reduce((sum, take) => sum + (chargeOf(take) ?? 0), 0) +
        broken.reduce((sum, take) => sum + (take.settled?.credits ?? 0), 0);
      const chargedTakes = settled.slice(-MAX_TAKES).flatMap(({ intent }) => intent?.takeKey ?? []);
      return [[shotId, { charged, chargedTakes, open: open.flat(), rates: ratesOf(sent) }]];
    }),
  );
  return Object.fromEntries(shots.flat());
}

/** The budget's reservation for one sending of a take. */
export async function reservationOf(
  shotId: string,
  { takeKey, model, parameters }: Pick<TakeHistory['intent'], 'takeKey' | 'model' | 'parameters'>,
  sending: number,
  quotes: Quotes,
): Promise<Reservation> {
  const { kind, units } = pricedTask(model.id, parameters);
  const { credits, estimate } = await quotes(model.id, parameters);
  return {
    ...{ shotId, takeKey, sending, kind: kindKey(kind), units, quoted: credits?.high ?? null, taskKind: kind },
    ...(estimate === undefined ? {} : { estimate }),
  };
}

/** The highest charge per unit of each kind of task, from completed tasks with known parameters and charge. */
function ratesOf(takes: readonly TakeHistory[]): readonly KnownRate[] {
  const rates = new Map<string, KnownRate>();
  for (const { intent, settled } of takes) {
    if (settled?.state !== 'completed' || settled.credits === null || intent.rebuilt?.asked === false) continue;
    const { kind, units } = pricedTask(intent.model.id, intent.parameters);
    const credits = exactCredits(settled.credits / units);
    if (credits >= (rates.get(kindKey(kind))?.credits ?? 0)) rates.set(kindKey(kind), { kind, credits });
  }
  return [...rates.values()];
}

async function openSendings(shotId: string, take: TakeHistory, quotes: Quotes): Promise<readonly OpenSending[]> {
  return Promise.all(
    take.sendings
      .filter((sending) => !isRefused(sending) && !isCharged(take, sending))
      .map(async (sending) => ({
        ...(await reservationOf(shotId, take.intent, sending.n, quotes)),
        standing: stateOf(take, sending),
      })),
  );
}

/**
 * The sendings of a take with unreadable records, except the settled one if the take's charge can be read. The take's
 * intent determines the price, else the intent of the shot's last readable take. Without either, the price is unknown.
 */
async function brokenSendings(
  { shotId, take, intent, settled, sendings, besideSettled }: BrokenTake,
  fallbackIntent: TakeHistory['intent'] | undefined,
  quotes: Quotes,
): Promise<readonly OpenSending[]> {
  const open = settled?.credits == null ? sendings : besideSettled;
  const takeKey = intent?.takeKey ?? `broken ${shotId}/${take}`;
  const priced = intent ?? fallbackIntent;
  const unpriced = { shotId, takeKey, kind: 'unknown', units: 1, quoted: null };
  return Promise.all(
    open.map(async (sending) => ({
      ...(priced === undefined
        ? { ...unpriced, sending }
        : await reservationOf(shotId, { ...priced, takeKey }, sending, quotes)),
      standing: 'unclear' as const,
    })),
  );
}

/** True if the take's charge covers a sending. False if the sending led to a second task, which has its own charge. */
function isCharged(history: TakeHistory, sending: Sending): boolean {
  const { settled } = history;
  const isOnlyTask = tasksOf({ ...history, sendings: [sending] }).length === 1;
  return settled?.credits != null && acceptance(sending)?.taskId === settled.taskId && isOnlyTask;
}

function stateOf({ settled }: TakeHistory, sending: Sending): OpenSending['standing'] {
  const task = acceptance(sending);
  if (task === undefined) return sending.unclear === undefined ? 'sent' : 'unclear';
  return task.taskId === settled?.taskId ? 'ended' : 'sent';
}
