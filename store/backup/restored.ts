import { z } from 'zod';
import { type BrokenTake } from '../ledger/broken-takes';
import { type Ledger } from '../ledger/ledger';
import { type Sent, type Unclear } from '../ledger/ledger-records';
import { type Records } from '../records';
import { type TakeAddress, takeFolder } from '../ledger/take-address';
import { ledgerState, type TakeHistory } from '../ledger/take-history';

/**
 * Keeps a restored ledger from paying twice for takes that were sent after its backup. Rules and reasons:
 * docs/decisions/0007-restored-ledger.md.
 */

/**
 * Folder of the restores of a store, and of takeovers of copied stores. Each has the record `begun`, then `done`. The
 * record `cleared` shows that a person has stated that nothing was sent within the gap, or has adopted the copy.
 */
export const RESTORED = 'restored';

/** The period from a backup to its restore. Sendings within it may be missing from the ledger. */
export const RestoredGap = z.looseObject({
  name: z.string(),
  /** Records of sendings after this time may be missing. ISO 8601. */
  backupAt: z.string(),
  restoredAt: z.string(),
  /** True for a copied store: `backupAt` is the time of the copy, `restoredAt` the time of its takeover. */
  copy: z.boolean().optional(),
});
export type RestoredGap = z.infer<typeof RestoredGap>;

/** A restore or takeover was interrupted. A process that sends now could pay twice. */
export class RestoreUnfinished extends Error {
  override readonly name = 'RestoreUnfinished';
}

/** The restores of a ledger, and the takeovers of copied stores. */
export interface Restores {
  /**
   * The gap that no person has cleared; undefined if there is none. Several open gaps are joined into one.
   *
   * @throws RestoreUnfinished
   */
  openGap(): Promise<RestoredGap | undefined>;
  /** True if a person has restored the ledger, or taken over its store, at or after `since` (ISO 8601). */
  wasRestoredSince(since: string): Promise<boolean>;
  /**
   * Records a person's statement that nothing was sent within the gaps. With `since`, the statement covers only gaps
   * that begin at or after `since`. `at` is the time of the statement. Both are in ISO 8601.
   */
  clear(at: string, since?: string): Promise<void>;
  /** The gaps of adopted copies. The original continues, so no statement about a backup covers these gaps. */
  adoptions(): Promise<readonly RestoredGap[]>;
}

/** The record `cleared` of a gap. If the adoption of a copy wrote it, `at` is the `restoredAt` of that copy's gap. */
const Cleared = z.looseObject({ at: z.string() });

export function createRestores(records: Records): Restores {
  return {
    openGap: () => openGap(records),
    async wasRestoredSince(since) {
      for (const { name } of await begunRestores(records)) {
        const gap = RestoredGap.safeParse(await records.read(`${RESTORED}/${name}/begun`)).data;
        if (gap !== undefined && Date.parse(gap.restoredAt) >= Date.parse(since)) return true;
      }
      return false;
    },
    async clear(at, since) {
      for (const { name } of await begunRestores(records)) {
        const begun = await records.read(`${RESTORED}/${name}/begun`);
        if (since !== undefined && !beginsSince(RestoredGap.parse(begun), since)) continue;
        await records.create(`${RESTORED}/${name}/cleared`, { at });
      }
    },
    adoptions: () => adoptions(records),
  };
}

/**
 * The restores and takeovers that have begun, oldest first, with the names of their records. Leaves out folders in
 * which a crash prevented the first record, `begun`. Older versions may have added other records to such folders.
 */
export async function begunRestores(
  records: Records,
): Promise<readonly { readonly name: string; readonly steps: readonly string[] }[]> {
  const names = (await records.list(RESTORED)).toSorted();
  const restores = await Promise.all(
    names.map(async (name) => ({ name, steps: await records.list(`${RESTORED}/${name}`) })),
  );
  return restores.filter(({ steps }) => steps.includes('begun'));
}

/** The gaps of restores and takeovers that have begun and not ended, oldest first. */
export async function unfinishedGaps(records: Records): Promise<readonly RestoredGap[]> {
  const gaps: RestoredGap[] = [];
  for (const { name, steps } of await begunRestores(records)) {
    if (!steps.includes('done')) gaps.push(RestoredGap.parse(await records.read(`${RESTORED}/${name}/begun`)));
  }
  return gaps;
}

async function openGap(records: Records): Promise<RestoredGap | undefined> {
  const open = [];
  for (const { name, steps } of await begunRestores(records)) {
    if (!steps.includes('done')) {
      throw new RestoreUnfinished(
        'a restore of the ledger, or the takeover of a copied store, was interrupted; ' +
          'run the interrupted `dailies ledger --restore` or `dailies store` command again, with the same flag',
      );
    }
    if (!steps.includes('cleared')) open.push(RestoredGap.parse(await records.read(`${RESTORED}/${name}/begun`)));
  }
  const last = open.at(-1);
  if (last === undefined) return undefined;
  // The joined gap starts where the earliest open gap starts.
  return { ...last, backupAt: open.map(({ backupAt }) => backupAt).toSorted()[0] ?? last.backupAt };
}

async function adoptions(records: Records): Promise<readonly RestoredGap[]> {
  const takeovers: { readonly gap: RestoredGap; readonly clearedAt: string | undefined }[] = [];
  for (const { name, steps } of await begunRestores(records)) {
    const gap = RestoredGap.parse(await records.read(`${RESTORED}/${name}/begun`));
    if (gap.copy !== true || !steps.includes('cleared')) continue;
    const cleared = Cleared.safeParse(await records.read(`${RESTORED}/${name}/cleared`)).data;
    takeovers.push({ gap, clearedAt: cleared?.at });
  }
  const times = new Set(takeovers.map(({ gap }) => gap.restoredAt));
  // A backup may have lost the content of `cleared`. Treat such a gap as an adoption, so that no take is released.
  return takeovers.flatMap(({ gap, clearedAt }) => (clearedAt === undefined || times.has(clearedAt) ? [gap] : []));
}

/**
 * The mark for a new take's intent: the gap in which the take's request may have been sent before. Empty if there is
 * no gap, or if a take in `sameAsk` already has the mark.
 *
 * @param sameAsk the earlier takes of this request.
 */
export function restoredMark(
  gap: RestoredGap | undefined,
  sameAsk: readonly TakeHistory[],
): { readonly restored?: RestoredGap } {
  const isMarked = sameAsk.some((history) => markOf(history)?.name === gap?.name);
  return gap === undefined || isMarked ? {} : { restored: gap };
}

/**
 * Called before a take is sent: makes the take unclear if its intent has the mark of a gap and the ledger has no
 * sending of the take. False if the take stays as it is.
 */
export async function holdClaimed(ledger: Ledger, address: TakeAddress, history: TakeHistory): Promise<boolean> {
  const gap = markOf(history);
  if (gap === undefined || history.sendings.length > 0) return false;
  await hold(ledger, address, 1, gap);
  return true;
}

/** Makes a take unclear if it may have been sent, or sent again, within the gap. False if the take stays as it is. */
export async function holdRestored(
  ledger: Ledger,
  address: TakeAddress,
  history: TakeHistory,
  gap: RestoredGap,
): Promise<boolean> {
  const now = ledgerState(history);
  if (isHeld(history) || (now.is !== 'sendable' && now.is !== 'sending' && now.is !== 'unclear')) return false;
  await hold(ledger, address, now.is === 'sendable' ? now.n : now.n + 1, gap);
  return true;
}

/**
 * Makes a take with unreadable records unclear, so that it is not sent again after a repair of its records. False if
 * the gateway is known to have accepted the take. Writes the records directly, because the ledger refuses writes to a
 * take without a readable intent.
 */
export async function holdBroken(
  records: Records,
  { sendings, ...address }: BrokenTake,
  gap: RestoredGap,
): Promise<boolean> {
  const folder = takeFolder(address);
  if ((await records.list(folder)).some((name) => PROVES_ACCEPTANCE.test(name))) return false;
  const n = (sendings.at(-1) ?? 0) + 1;
  const { sent, unclear } = holdRecords(gap);
  await records.create(`${folder}/sent-${n}`, sent);
  await records.create(`${folder}/unclear-${n}`, unclear);
  return true;
}

/** Names of records that exist only if the gateway has accepted the take. */
const PROVES_ACCEPTANCE = /^(?:accepted-\d+|settled)$/;

/**
 * True if the take's last sending is a placeholder for a sending that a restored ledger may have lost. Only a person
 * may decide to send the take again.
 */
export function isHeld({ sendings }: TakeHistory): boolean {
  const last = sendings.at(-1);
  // `sent` and `unclear` both have the mark, since a crash may prevent `unclear`.
  const isMarked = (last?.sent?.['restored'] ?? last?.unclear?.['restored']) !== undefined;
  return isMarked && last?.accepted === undefined && last?.refused === undefined;
}

function beginsSince({ backupAt }: RestoredGap, since: string): boolean {
  return Date.parse(backupAt) >= Date.parse(since);
}

function isAtOrBefore(time: string | undefined, limit: string): boolean {
  return time !== undefined && Date.parse(time) <= Date.parse(limit);
}

interface ClearOptions {
  readonly at: string;
  /** Only gaps that begin at this time or later. */
  readonly since?: string;
  /** If true, takes that are held because of a copied store stay held. Default: false. */
  readonly ofRestoresOnly?: boolean;
}

/**
 * Records a person's statement as `Restores.clear` does. Releases the takes that only the cleared gaps hold. Takes that
 * were held when a copy was adopted stay held: the original may have sent them.
 *
 * @returns the number of released takes.
 */
export async function clearGaps(
  { ledger, restores }: { readonly ledger: Ledger; readonly restores: Restores },
  histories: AsyncIterable<readonly [TakeAddress, TakeHistory]>,
  { at, since, ofRestoresOnly = false }: ClearOptions,
): Promise<number> {
  const adopted = await restores.adoptions();
  await restores.clear(at, since);
  let released = 0;
  for await (const [address, history] of histories) {
    const last = history.sendings.at(-1);
    const wasSentBefore = history.sendings.slice(0, -1).some(({ refused }) => refused === undefined);
    if (last === undefined || wasSentBefore || !isHeld(history)) continue;
    const { data: gap } = RestoredGap.safeParse(last.sent?.['restored'] ?? last.unclear?.['restored']);
    if (since !== undefined && (gap === undefined || !beginsSince(gap, since))) continue;
    if (ofRestoresOnly && (gap === undefined || gap.copy === true)) continue;
    const heldAt = last.sent?.at ?? last.unclear?.at;
    if (adopted.some(({ name, restoredAt }) => name === gap?.name || isAtOrBefore(heldAt, restoredAt))) continue;
    const reason = 'a person has said that nothing was sent since the backup or copy';
    await ledger.endSending(address, last.n, { kind: 'refused', record: { again: true, reason, at } });
    released += 1;
  }
  return released;
}

/** Writes the records of an unclear sending, although nothing was sent: a person then decides about the take. */
async function hold(ledger: Ledger, address: TakeAddress, n: number, gap: RestoredGap): Promise<void> {
  const { sent, unclear } = holdRecords(gap);
  await ledger.beginSending(address, n, sent);
  await ledger.endSending(address, n, { kind: 'unclear', record: unclear });
}

function holdRecords(gap: RestoredGap): { readonly sent: Sent; readonly unclear: Unclear } {
  const at = new Date().toISOString();
  const sent = { at, until: at, mode: 'submit', restored: gap } as const;
  return { sent, unclear: { reason: reasonOf(gap), at, restored: gap } };
}

function reasonOf({ backupAt, restoredAt, copy = false }: RestoredGap): string {
  const origin = copy
    ? `the store is a copy made on ${backupAt} and taken over on ${restoredAt}`
    : `the ledger was restored on ${restoredAt} from a backup of ${backupAt}`;
  return `${origin}, and may lack a sending of this take in between; look at the gateway's own list of tasks`;
}

function markOf({ intent }: TakeHistory): RestoredGap | undefined {
  return RestoredGap.safeParse(intent['restored']).data;
}
