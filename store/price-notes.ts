import { z } from 'zod';
import { exactCredits } from '../contracts/credits';
import { type KnownRate, type TaskKind } from '../contracts/price-estimate';
import { type Ledger, type WrittenTake } from './ledger';
import { type Intent, type Settled } from './ledger-records';
import { type Records } from './records';
import { accountHash } from './take-key';
import { kindKey, pricedTask } from './task-kind';

/**
 * What each completed take was charged, recorded by kind of task as `prices/<account>/<kind>/<when>_<take>`, so that a
 * price is found without reading all takes. Reasons: docs/decisions/0011-plan-and-quote.md.
 */

/** Number of newest takes that a price is learned from: enough to show how it varies, few enough to follow a change. */
const REMEMBERED = 20;

const PriceNote = z.looseObject({ units: z.number().positive(), credits: z.number().nonnegative() });
type PriceNote = z.infer<typeof PriceNote>;

const NotedKind = z.looseObject({
  model: z.string(),
  resolution: z.string().nullable(),
  unit: z.enum(['second', 'task']),
});

/** What the newest tasks of a kind were charged per unit. */
export interface LearnedPrice {
  readonly low: number;
  readonly high: number;
  /** How many takes it was learned from. */
  readonly takes: number;
}

/** The same ledger, which also records the price of every take that it settles. */
export function notingPrices(ledger: Ledger, records: Records): Ledger {
  return {
    ...ledger,
    async settle(address, settled) {
      // Record the price before the take counts as settled, because no process returns to a settled take. If this
      // fails, go on: the ledger has the charge, and settling matters more.
      await notePrice(ledger, records, address, settled).catch(() => undefined);
      return ledger.settle(address, settled);
    },
  };
}

/** What the account's newest takes of this kind were charged; undefined if there are none. */
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

/** For each kind of the model, the highest price that the account's takes were charged. */
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

/** Read from the first readable note. All notes in the folder are of one kind. */
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
  // Another take's price says nothing about this one. A rebuilt take without its ask has no known kind.
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

/** Sorts by the time of the intent, which stays the same if a take is settled repeatedly. */
function nameOf({ at, takeKey }: Intent): string {
  return `${at.replaceAll(':', '-')}_${takeKey.slice(0, 16)}`;
}

/** Without rounding errors: 0.3 for 3 s and 0.1 for 1 s are the same price. */
function rateOf({ units, credits }: PriceNote): number {
  return exactCredits(credits / units);
}
