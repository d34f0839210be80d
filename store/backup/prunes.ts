import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ifReadable, numbersOf, type Records, UnreadableRecord } from '../records';

/**
 * The lock between prunes and renders of a store. Rules: docs/decisions/0014-fork-and-prune.md.
 *
 * Only one prune runs at a time. Prune n has the write-once records `begun-n` and then `ended-n`.
 */

const PRUNES = 'prunes';

/**
 * Longest prune, and so the longest delay of renders after a prune has crashed. A prune renames and removes thousands
 * of files in seconds.
 */
const LONGEST_PRUNE_MS = 5 * 60_000;

/** A prune stops removing this long before its time is up, since other machines' clocks may be ahead. */
const MARGIN_MS = 60_000;

const CHECK_EVERY_MS = 250;

const Begun = z.looseObject({ at: z.string(), until: z.iso.datetime() });

/** The right to remove bytes, for a limited time. */
export interface Prune {
  readonly at: Date;
  /** True if there is time left to remove more. */
  hasTimeLeft(): boolean;
  end(): Promise<void>;
}

/**
 * All three methods throw UnreadableRecord if the last prune's record is unreadable: that prune might still remove
 * files, so renders must not start.
 */
export interface Prunes {
  /**
   * Begins a prune. Undefined if another prune is under way. The caller must determine the unused assets after this
   * call, not before it.
   */
  begin(): Promise<Prune | undefined>;
  /** When the prune under way ends at the latest; undefined if there is none. */
  underWay(): Promise<Date | undefined>;
  /**
   * Waits until no prune is under way. Before this call, the caller must record what it needs from the store, so that a
   * later prune sees the record.
   */
  waitForPrune(): Promise<void>;
}

export function createPrunes(records: Records): Prunes {
  return {
    begin: () => beginPrune(records),
    underWay: () => pruneUnderWay(records),
    async waitForPrune() {
      while ((await pruneUnderWay(records)) !== undefined) await sleep(CHECK_EVERY_MS);
    },
  };
}

async function beginPrune(records: Records): Promise<Prune | undefined> {
  // Take the check and the number from one list. Two prunes that begin at once then try to create the same record, and
  // only one succeeds.
  const names = await records.list(PRUNES);
  if ((await underWayAmong(records, names)) !== undefined) return undefined;
  const n = (numbersOf(names, 'begun').at(-1) ?? 0) + 1;
  const at = new Date();
  const untilMs = at.getTime() + LONGEST_PRUNE_MS;
  const record = { at: at.toISOString(), until: new Date(untilMs).toISOString() };
  if (!(await records.create(`${PRUNES}/begun-${n}`, record))) return undefined;
  return {
    at,
    hasTimeLeft: () => Date.now() < untilMs - MARGIN_MS,
    async end() {
      await records.create(`${PRUNES}/ended-${n}`, { at: new Date().toISOString() });
    },
  };
}

async function pruneUnderWay(records: Records): Promise<Date | undefined> {
  return underWayAmong(records, await records.list(PRUNES));
}

/** @param names of the records of all prunes. */
async function underWayAmong(records: Records, names: readonly string[]): Promise<Date | undefined> {
  const n = numbersOf(names, 'begun').at(-1);
  if (n === undefined || names.includes(`ended-${n}`)) return undefined;
  const until = await latestEndOfPrune(records, `${PRUNES}/begun-${n}`);
  return until.getTime() > Date.now() ? until : undefined;
}

async function latestEndOfPrune(records: Records, key: string): Promise<Date> {
  let reason: Error | undefined;
  const read = await ifReadable(
    async () => Begun.parse(await records.read(key)),
    (error) => (reason = error),
  );
  if (read !== undefined) return new Date(read.value.until);
  const found =
    reason instanceof UnreadableRecord ? reason.message : `the record ${key} does not say when the prune ends`;
  throw new UnreadableRecord(
    `a prune of the store may be under way: ${found}. A prune ends within ${LONGEST_PRUNE_MS / 60_000} minutes. ` +
      `If no prune has begun in that time, remove ${key}.json from the store's folder; renders and prunes then continue`,
    reason,
  );
}
