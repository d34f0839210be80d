import { type OpenSending, type ProductionSpending, type Reservation, type ShotSpending } from '../contracts/budget';
import { type Quotes } from './quotes';
import { chargeOf, isRefused, type Sending, type TakeHistory } from './take-history';
import { kindKey, pricedTask } from './task-kind';

/** What the ledger has of a production's money; shots that never sent anything are left out. */
export async function spendingOf(
  takes: ReadonlyMap<string, readonly TakeHistory[]>,
  quotes: Quotes,
): Promise<ProductionSpending> {
  const shots = await Promise.all(
    [...takes].map(async ([shotId, histories]): Promise<[string, ShotSpending][]> => {
      const sent = histories.filter(({ sendings }) => sendings.length > 0);
      if (sent.length === 0) return [];
      const open = await Promise.all(sent.map((take) => openSendings(shotId, take, quotes)));
      const charged = sent.reduce((sum, take) => sum + (chargeOf(take) ?? 0), 0);
      const chargedTakes = sent.flatMap(({ intent, settled }) => (settled?.credits == null ? [] : [intent.takeKey]));
      return [[shotId, { charged, chargedTakes, open: open.flat() }]];
    }),
  );
  return Object.fromEntries(shots.flat());
}

/** What one sending of a take is priced by. */
export async function reservationOf(
  shotId: string,
  { takeKey, model, parameters }: Pick<TakeHistory['intent'], 'takeKey' | 'model' | 'parameters'>,
  sending: number,
  quotes: Quotes,
): Promise<Reservation> {
  const { kind, units } = pricedTask(model.id, parameters);
  const { credits } = await quotes(model.id, parameters);
  return { shotId, takeKey, sending, kind: kindKey(kind), units, quoted: credits?.high ?? null };
}

async function openSendings(shotId: string, take: TakeHistory, quotes: Quotes): Promise<readonly OpenSending[]> {
  return Promise.all(
    take.sendings
      .filter((sending) => !isRefused(sending) && !isCharged(take, sending))
      .map(async (sending) => ({
        ...(await reservationOf(shotId, take.intent, sending.n, quotes)),
        standing: standingOf(take, sending),
      })),
  );
}

/** Whether the charge of the take is the one of this sending; a second task that it came to has a charge of its own. */
function isCharged({ settled }: TakeHistory, { accepted, answered, alsoAccepted }: Sending): boolean {
  return settled?.credits != null && (accepted ?? answered)?.taskId === settled.taskId && alsoAccepted === undefined;
}

function standingOf({ settled }: TakeHistory, { accepted, answered, unclear }: Sending): OpenSending['standing'] {
  const task = accepted ?? answered;
  if (task === undefined) return unclear === undefined ? 'sent' : 'unclear';
  return task.taskId === settled?.taskId ? 'ended' : 'sent';
}
