import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { numbersOf, type Records } from './records';

/**
 * Prunes of a store, one at a time, as renders see them. Rules: docs/decisions/0014-fork-and-prune.md.
 *
 * Each has a number: `begun-n`, then `ended-n`, each written once.
 */

const PRUNES = 'prunes';

/**
 * Longest prune. It renames and removes thousands of files in seconds. A prune that crashed delays renders by this at
 * most.
 */
const LASTS_AT_MOST_MS = 5 * 60_000;

/** Nothing is removed in this last part of the time, since other machines' clocks may be ahead. */
const MARGIN_MS = 60_000;

const LOOK_EVERY_MS = 250;

const Begun = z.looseObject({ at: z.string(), until: z.string() });

/** The right to remove bytes, for a limited time. */
export interface Prune {
  readonly at: Date;
  /** True if there is time left to remove more. */
  mayGoOn(): boolean;
  end(): Promise<void>;
}

/** Begins a prune. Undefined if another one is under way. The caller must read what is still needed after this call. */
export async function beginPrune(records: Records): Promise<Prune | undefined> {
  if ((await pruneUnderWay(records)) !== undefined) return undefined;
  const n = (numbersOf(await records.list(PRUNES), 'begun').at(-1) ?? 0) + 1;
  const at = new Date();
  const untilMs = at.getTime() + LASTS_AT_MOST_MS;
  const record = { at: at.toISOString(), until: new Date(untilMs).toISOString() };
  if (!(await records.create(`${PRUNES}/begun-${n}`, record))) return undefined;
  return {
    at,
    mayGoOn: () => Date.now() < untilMs - MARGIN_MS,
    async end() {
      await records.create(`${PRUNES}/ended-${n}`, { at: new Date().toISOString() });
    },
  };
}

/** When the prune under way ends at the latest; undefined if there is none. */
export async function pruneUnderWay(records: Records): Promise<Date | undefined> {
  const names = await records.list(PRUNES);
  const n = numbersOf(names, 'begun').at(-1);
  if (n === undefined || names.includes(`ended-${n}`)) return undefined;
  const until = new Date(Begun.parse(await records.read(`${PRUNES}/begun-${n}`)).until);
  return until.getTime() > Date.now() ? until : undefined;
}

/**
 * Waits until no prune is under way. The caller must have recorded before what it needs from the store: a prune that
 * begins later sees that record.
 */
export async function outlastPrunes(records: Records): Promise<void> {
  while ((await pruneUnderWay(records)) !== undefined) await sleep(LOOK_EVERY_MS);
}
