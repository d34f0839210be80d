import { z } from 'zod';
import { type BrokenTake } from './broken-takes';
import { type Ledger, type TakeAddress, takeFolder } from './ledger';
import { type Sent, type Unclear } from './ledger-records';
import { type Records } from './records';
import { standing, type TakeHistory } from './take-history';

/**
 * What a restored ledger cannot know, and how it avoids paying twice for that. Rules and reasons:
 * docs/decisions/0007-restored-ledger.md.
 */

/** Folder of a store's restores: `restored/<name>/begun`, then `done`, and `cleared` after a person's statement. */
export const RESTORED = 'restored';

/** The period of which a restored ledger knows nothing. */
export const RestoredGap = z.looseObject({
  name: z.string(),
  /** Records of sendings after this time may be missing. ISO 8601. */
  backupAt: z.string(),
  restoredAt: z.string(),
  /** True for a copy of a store that was taken over at `restoredAt`. */
  copy: z.boolean().optional(),
});
export type RestoredGap = z.infer<typeof RestoredGap>;

/** Records are still missing. A process that sends now could pay twice. */
export class RestoreUnfinished extends Error {
  override readonly name = 'RestoreUnfinished';
}

/**
 * The gap of the last restore that nobody has cleared; undefined for a complete ledger.
 *
 * @throws RestoreUnfinished
 */
export async function openGap(records: Records): Promise<RestoredGap | undefined> {
  const open = [];
  for (const name of (await records.list(RESTORED)).toSorted()) {
    const steps = await records.list(`${RESTORED}/${name}`);
    // A restore records that it has begun before it changes anything.
    if (steps.length === 0) continue;
    if (!steps.includes('done')) {
      throw new RestoreUnfinished(
        'a restore of the ledger, or the taking over of a copied store, was interrupted; ' +
          'run `dailies ledger --restore` or `dailies store` with the same flag again',
      );
    }
    if (!steps.includes('cleared')) open.push(RestoredGap.parse(await records.read(`${RESTORED}/${name}/begun`)));
  }
  const last = open.at(-1);
  if (last === undefined) return undefined;
  // An earlier gap that is still open starts earlier.
  return { ...last, backupAt: open.map(({ backupAt }) => backupAt).toSorted()[0] ?? last.backupAt };
}

/**
 * The mark for a new take's intent, if the same ask may have been sent within the gap.
 *
 * @param sameAsk the earlier takes with the same ask.
 */
export function restoredMark(
  gap: RestoredGap | undefined,
  sameAsk: readonly TakeHistory[],
): { readonly restored?: RestoredGap } {
  const isKnown = sameAsk.some((history) => markOf(history)?.name === gap?.name);
  return gap === undefined || isKnown ? {} : { restored: gap };
}

/**
 * Makes a take unclear that was claimed after a restore and may have been sent before it. Call this before a take is
 * sent. False if it may be sent.
 */
export async function holdClaimed(ledger: Ledger, address: TakeAddress, history: TakeHistory): Promise<boolean> {
  const gap = markOf(history);
  if (gap === undefined || history.sendings.length > 0) return false;
  await hold(ledger, address, 1, gap);
  return true;
}

/** Makes a take of the backup unclear if it may have been sent, or sent again, since. False if it cannot have been. */
export async function holdRestored(
  ledger: Ledger,
  address: TakeAddress,
  history: TakeHistory,
  gap: RestoredGap,
): Promise<boolean> {
  const now = standing(history);
  if (isHeld(history) || (now.is !== 'sendable' && now.is !== 'sending' && now.is !== 'unclear')) return false;
  await hold(ledger, address, now.is === 'sendable' ? now.n : now.n + 1, gap);
  return true;
}

/**
 * Makes a take with unreadable records unclear, since it might be sent again once its records are repaired. Writes the
 * records directly: the ledger refuses a take whose intent it cannot read.
 */
export async function holdBroken(
  records: Records,
  { sendings, ...address }: BrokenTake,
  gap: RestoredGap,
): Promise<boolean> {
  const folder = takeFolder(address);
  if ((await records.list(folder)).some((name) => OF_A_TASK.test(name))) return false;
  const n = (sendings.at(-1) ?? 0) + 1;
  const { sent, unclear } = holdOf(gap);
  await records.create(`${folder}/sent-${n}`, sent);
  await records.create(`${folder}/unclear-${n}`, unclear);
  return true;
}

/** A take with one of these records was definitely accepted by the gateway. */
const OF_A_TASK = /^(?:accepted-\d+|settled)$/;

/**
 * True if the take's last sending stands for one that a restored ledger may have lost. Only a person may decide to send
 * it again.
 */
export function isHeld({ sendings }: TakeHistory): boolean {
  const last = sendings.at(-1);
  // Both records have the mark, since a crash may come between them.
  const isMarked = (last?.sent?.['restored'] ?? last?.unclear?.['restored']) !== undefined;
  return isMarked && last?.accepted === undefined && last?.refused === undefined;
}

/**
 * Records a person's statement that nothing was sent within any gap. Takes that were held only because of a gap may be
 * sent.
 *
 * @returns the number of takes that were freed.
 */
export async function clearGaps(
  records: Records,
  ledger: Ledger,
  histories: AsyncIterable<readonly [TakeAddress, TakeHistory]>,
  at: string,
): Promise<number> {
  for (const name of await records.list(RESTORED)) await records.create(`${RESTORED}/${name}/cleared`, { at });
  let freed = 0;
  for await (const [address, history] of histories) {
    const last = history.sendings.at(-1);
    const wasSentBefore = history.sendings.slice(0, -1).some(({ refused }) => refused === undefined);
    if (last === undefined || wasSentBefore || !isHeld(history)) continue;
    const reason = 'a person has said that nothing was sent between the backup and the restore';
    await ledger.endSending(address, last.n, { kind: 'refused', record: { again: true, reason, at } });
    freed += 1;
  }
  return freed;
}

/** Writes two records without a request: `sent` keeps other processes from sending, `unclear` asks a person. */
async function hold(ledger: Ledger, address: TakeAddress, n: number, gap: RestoredGap): Promise<void> {
  const { sent, unclear } = holdOf(gap);
  await ledger.beginSending(address, n, sent);
  await ledger.endSending(address, n, { kind: 'unclear', record: unclear });
}

function holdOf(gap: RestoredGap): { readonly sent: Sent; readonly unclear: Unclear } {
  const at = new Date().toISOString();
  const sent = { at, until: at, mode: 'submit', restored: gap } as const;
  return { sent, unclear: { reason: reasonOf(gap), at, restored: gap } };
}

function reasonOf({ backupAt, restoredAt, copy = false }: RestoredGap): string {
  const origin = copy
    ? `the store is a copy made on ${backupAt} and taken over on ${restoredAt}`
    : `the ledger was restored on ${restoredAt} from a backup of ${backupAt}`;
  return `${origin}, and cannot know whether this was sent in between; look at the gateway's own list of tasks`;
}

function markOf({ intent }: TakeHistory): RestoredGap | undefined {
  return RestoredGap.safeParse(intent['restored']).data;
}
