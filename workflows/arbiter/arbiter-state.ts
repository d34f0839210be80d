import { type LeaseAccountState, mayBeUsed } from './lease-account';
import type { Waiting } from './lease-queue';
import { attemptKey } from '../take/attempt-key';

/** The state that an arbiter hands to its next run, packed to fit into one payload. */

/**
 * Maximum number of waiting requests that are carried over. At about 150 bytes each, many more would exceed 256 KB. A
 * take whose request is dropped requests its lease again.
 */
export const MOST_WAITING = 1_000;

/**
 * Above this number of held leases, only leases that may still be used, and leases of takes that cannot be read, are
 * carried over. The next run finds the others in the ledger.
 */
const MOST_HELD = 500;

/**
 * Objects as rows of numbers, one number for each field in `names`. For a field in `textual`, the number is the index
 * of a text in `texts`.
 */
interface Packed {
  readonly texts: readonly string[];
  readonly names: readonly string[];
  readonly rows: readonly (readonly (number | null)[])[];
  readonly textual: readonly string[];
}

export interface ArbiterState {
  readonly epoch: number;
  /** Versions of the limits (`LimitsInForce.force`) at the last reads of the whole account. */
  readonly forces: readonly string[];
  /** Whether the next run has to read the whole account. */
  readonly whole: boolean;
  readonly account: Omit<LeaseAccountState, 'held' | 'queue'>;
  /** Takes of unknown state, as `Survey` has them, and the keys of their held leases. Absent in older states. */
  readonly unreadable?: readonly string[];
  readonly unreadableLeases?: readonly string[];
  readonly held: Packed;
  readonly waiting: Packed;
  readonly turns: LeaseAccountState['queue']['turns'];
  readonly clock: number;
}

export type CarriedSurveys = Pick<ArbiterState, 'epoch' | 'forces' | 'unreadable' | 'unreadableLeases'>;

export function packed(
  { held, queue, ...account }: LeaseAccountState,
  { nowMs, ...of }: CarriedSurveys & { readonly nowMs: number },
): ArbiterState {
  const { waiting, turns, clock } = queue;
  const whole = held.length > MOST_HELD;
  const unreadable = new Set(of.unreadableLeases);
  const carried = whole ? held.filter((one) => mayBeUsed(one, nowMs) || unreadable.has(attemptKey(one))) : held;
  const keys = new Set(carried.map(attemptKey));
  // `clearCount` subtracts the marks from the held leases. So drop the marks of leases that are not carried over.
  const unclear = (account.unclear ?? []).filter((key) => keys.has(key));
  return {
    ...of,
    whole,
    account: { ...account, unclear },
    held: pack(carried),
    waiting: pack(waiting.map(withShortHolder)),
    turns,
    clock,
  };
}

export function unpacked({ account, held, waiting, turns, clock }: ArbiterState): LeaseAccountState {
  const queue = { waiting: unpack<Waiting>(waiting).map(withHolder), turns, clock };
  return { ...account, held: unpack(held), queue };
}

/**
 * Replaces the shot's id at the end of a holder's workflow id, so that the holders of one production share one text.
 */
const OWN_NAME = '*';

function withShortHolder(one: Waiting): Waiting {
  const { holder, shotId } = one;
  return holder.endsWith(`/${shotId}`) ? { ...one, holder: holder.slice(0, -shotId.length) + OWN_NAME } : one;
}

function withHolder(one: Waiting): Waiting {
  const { holder, shotId } = one;
  return holder.endsWith(`/${OWN_NAME}`) ? { ...one, holder: holder.slice(0, -OWN_NAME.length) + shotId } : one;
}

function pack(list: readonly object[]): Packed {
  const names = [...new Set(list.flatMap((one) => Object.keys(one)))];
  const texts = new Map<string, number>();
  const textual = new Set<string>();
  const rows = list.map((one) => {
    const fields = one as Readonly<Record<string, unknown>>;
    return names.map((name) => {
      const value = fields[name];
      if (typeof value !== 'string') return typeof value === 'number' ? value : null;
      textual.add(name);
      if (!texts.has(value)) texts.set(value, texts.size);
      return texts.get(value) ?? 0;
    });
  });
  return { texts: [...texts.keys()], names, rows, textual: [...textual] };
}

/** Restores the objects. A null in a text field means that the field was absent; any other null is kept. */
function unpack<T>({ texts, names, rows, textual }: Packed): T[] {
  const isText = new Set(textual);
  return rows.map((row) => {
    const fields = names.map((name, index): [string, unknown] => {
      const value = row[index] ?? null;
      return [name, value === null || !isText.has(name) ? value : texts[value]];
    });
    return Object.fromEntries(fields.filter(([name, value]) => value !== null || !isText.has(name))) as T;
  });
}
