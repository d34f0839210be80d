import { z } from 'zod';
import { exactCredits } from '../../contracts/money/credits';
import { type KnownRate, type TaskKind } from '../../contracts/money/price-estimate';
import { type Ledger, type WrittenTake } from '../ledger/ledger';
import { type Intent, type Settled } from '../ledger/ledger-records';
import { type Records } from '../records';
import { accountHash } from '../ledger/take-key';
import { kindKey, pricedTask } from './task-kind';

/**
 * Records the charge of each completed take, so that a price is found without reading all takes. The key is
 * `prices/<account>/<kind of task>/<when>_<take>`. Reasons: docs/decisions/0011-plan-and-quote.md.
 */

/** Number of newest takes that determine a price: enough to show how it varies, few enough to follow a change. */
const REMEMBERED = 20;

const PriceNote = z.looseObject({ units: z.number().positive(), credits: z.number().nonnegative() });
type PriceNote = z.infer<typeof PriceNote>;

const NotedKind = z.looseObject({
  model: z.string(),
  resolution: z.string().nullable(),
  unit: z.enum(['second', 'task']),
});

/** The lowest and highest charge per unit of the newest takes of a kind. */
export interface LearnedPrice {
  readonly low: number;
  readonly high: number;
  /** Number of newest takes from which the price was learned. */
  readonly takes: number;
}

/** Wraps a ledger so that settling a completed take also records its charge, if the charge is known. */
export function notingPrices(ledger: Ledger, records: Records): Ledger {
  return {
    ...ledger,
    async settle(address, settled) {
      // Record the price first, because no process returns to a settled take. Ignore errors: the ledger has the charge,
      // and settling matters more.
      await notePrice(ledger, records, address, settled).catch(() => undefined);
      return ledger.settle(address, settled);
    },
  };
}

/** The price of a kind, learned from the account's newest takes; undefined if none has a readable price record. */
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

/** For each kind of the model's tasks, the highest charge per unit among the account's newest takes. */
export async function learnedRates(records: Records, account: string, model: string): Promise<readonly KnownRate[]> {
  const folder = pricesFolder(account);
  const rates = await Promise.all(
    (await records.list(folder)).map(async (key): Promise<KnownRate | undefined> => {
      const kind = await kindOfNotes(records, `${folder}/${key}`);
      const price = kind?.model === model ? await learnedPrice(records, account, kind) : undefined;
      return kind === undefined || price === undefined ? undefined : { kind, credits: price.high };
    }),
  );
  return rates.filter((rate) => rate !== undefined);
}

/** The kind of the notes in a folder, from the first readable note. */
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
  // After a restore of the ledger, the address may belong to another take.
  if (intent === undefined || (address.takeKey ?? intent.takeKey) !== intent.takeKey) return;
  // A rebuilt take without parameters has no known kind.
  if (intent.rebuilt?.asked === false) return;
  const { kind, units } = pricedTask(intent.model.id, intent.parameters);
  await records.create(`${kindFolder(intent.account, kind)}/${nameOf(intent)}`, { ...kind, units, credits });
}

function pricesFolder(account: string): string {
  return `prices/${accountHash(account)}`;
}

function kindFolder(account: string, kind: TaskKind): string {
  return `${pricesFolder(account)}/${kindKey(kind)}`;
}

/** Names sort by the time of the intent. A take that is settled twice gets the same name. */
function nameOf({ at, takeKey }: Intent): string {
  return `${at.replaceAll(':', '-')}_${takeKey.slice(0, 16)}`;
}

/** The charge per unit, without rounding errors: 0.3 for 3 s and 0.1 for 1 s are the same price. */
function rateOf({ units, credits }: PriceNote): number {
  return exactCredits(credits / units);
}
