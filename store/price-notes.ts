import { z } from 'zod';
import { exactCredits } from '../contracts/credits';
import { type KnownRate, type TaskKind } from '../contracts/price-estimate';
import { type Ledger, type WrittenTake } from './ledger';
import { type Intent, type Settled } from './ledger-records';
import { type Records } from './records';
import { accountHash } from './take-key';
import { kindKey, pricedTask } from './task-kind';

/**
 * What each completed take was charged, noted by kind of task under `prices/<account>/<kind>/<when>_<take>`, so that a
 * price is found without reading all takes. docs/decisions/0011-plan-and-quote.md has the reasons.
 */

/** Takes that a price is learned from, the newest ones: enough to see it vary, few enough to follow a change of prices. */
const REMEMBERED = 20;

const PriceNote = z.looseObject({ units: z.number().positive(), credits: z.number().nonnegative() });
type PriceNote = z.infer<typeof PriceNote>;

/** Of which kind a note is. */
const NotedKind = z.looseObject({
  model: z.string(),
  resolution: z.string().nullable(),
  unit: z.enum(['second', 'task']),
});

/** What the newest tasks of a kind were charged, a unit. */
export interface LearnedPrice {
  readonly low: number;
  readonly high: number;
  /** How many takes it was learned from. */
  readonly takes: number;
}

/** The same ledger, which also notes the price of every take that it settles. */
export function notingPrices(ledger: Ledger, records: Records): Ledger {
  return {
    ...ledger,
    async settle(address, settled) {
      // Before the take counts as settled, since nobody comes back to one that does. What was charged is in the ledger
      // either way, and must get there: a note that cannot be written is let go.
      await notePrice(ledger, records, address, settled).catch(() => undefined);
      return ledger.settle(address, settled);
    },
  };
}

/** What the account's newest takes of this kind were charged; undefined where there are none. */
export async function learnedPrice(
  records: Records,
  account: string,
  kind: TaskKind,
): Promise<LearnedPrice | undefined> {
  const folder = kindFolder(account, kind);
  const newest = (await records.list(folder)).toSorted().slice(-REMEMBERED);
  const notes = await Promise.all(newest.map((name) => records.read(`${folder}/${name}`).catch(() => undefined)));
  const rates = notes.flatMap((note) => {
    const read = PriceNote.safeParse(note);
    return read.success ? [rateOf(read.data)] : [];
  });
  if (rates.length === 0) return undefined;
  return { low: Math.min(...rates), high: Math.max(...rates), takes: rates.length };
}

/** The highest prices of every kind of the model that the account's takes were charged for. */
export async function learnedRates(records: Records, account: string, model: string): Promise<readonly KnownRate[]> {
  const folder = accountFolder(account);
  const rates = await Promise.all(
    (await records.list(folder)).map(async (key): Promise<KnownRate | undefined> => {
      const kind = await kindOfNotes(records, `${folder}/${key}`);
      const price = kind?.model === model ? await learnedPrice(records, account, kind) : undefined;
      return kind === undefined || price === undefined ? undefined : { kind, credits: price.high };
    }),
  );
  return rates.filter((rate) => rate !== undefined);
}

/** By one note that can be read; all in the folder are of one kind. */
async function kindOfNotes(records: Records, folder: string): Promise<TaskKind | undefined> {
  for (const name of await records.list(folder)) {
    const note = NotedKind.safeParse(await records.read(`${folder}/${name}`).catch(() => undefined));
    if (note.success) return { model: note.data.model, resolution: note.data.resolution, unit: note.data.unit };
  }
  return undefined;
}

async function notePrice(
  ledger: Ledger,
  records: Records,
  address: WrittenTake,
  { state, credits }: Settled,
): Promise<void> {
  if (state !== 'completed' || credits === null) return;
  const intent = (await ledger.take(address))?.intent;
  // Another take's price says nothing of this one, and what was not asked for here has no kind.
  if (intent === undefined || (address.takeKey ?? intent.takeKey) !== intent.takeKey) return;
  if (intent.rebuilt?.asked === false) return;
  const { kind, units } = pricedTask(intent.model.id, intent.parameters);
  await records.create(`${kindFolder(intent.account, kind)}/${nameOf(intent)}`, { ...kind, units, credits });
}

function accountFolder(account: string): string {
  return `prices/${accountHash(account)}`;
}

function kindFolder(account: string, kind: TaskKind): string {
  return `${accountFolder(account)}/${kindKey(kind)}`;
}

/** Sorts by the time of the ask, which stays the same however often a take is settled. */
function nameOf({ at, takeKey }: Intent): string {
  return `${at.replaceAll(':', '-')}_${takeKey.slice(0, 16)}`;
}

/** Without the noise of dividing: 0.3 for 3 s and 0.1 for 1 s are one price. */
function rateOf({ units, credits }: PriceNote): number {
  return exactCredits(credits / units);
}
