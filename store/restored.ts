import { z } from 'zod';
import { type BrokenTake } from './broken-takes';
import { type Ledger, type TakeAddress, takeFolder } from './ledger';
import { type Sent, type Unclear } from './ledger-records';
import { type Records } from './records';
import { standing, type TakeHistory } from './take-history';

/**
 * What a ledger that was restored from a backup cannot know, and how it keeps from paying for it twice.
 *
 * The rules and their reasons are in docs/decisions/0007-restored-ledger.md.
 */

/** Where the restores of a store are kept: `restored/<name>/begun`, then `done`, and `cleared` by a person's word. */
export const RESTORED = 'restored';

/** The time of which a restored ledger knows nothing. */
export const RestoredGap = z.looseObject({
  /** Name of its records. */
  name: z.string(),
  /** What was sent after this time may be missing. ISO 8601. */
  backupAt: z.string(),
  restoredAt: z.string(),
  /** True for a copy of a store that is worked with from `restoredAt` on. */
  copy: z.boolean().optional(),
});
export type RestoredGap = z.infer<typeof RestoredGap>;

/** Records are still missing: who sent something now could pay for it twice. */
export class RestoreUnfinished extends Error {
  override readonly name = 'RestoreUnfinished';
}

/**
 * The gap of the last restore that nobody has cleared; undefined for a ledger that is whole.
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
  // An earlier gap that is still open reaches back further.
  return { ...last, backupAt: open.map(({ backupAt }) => backupAt).toSorted()[0] ?? last.backupAt };
}

/**
 * What to add to a new take's intent: its mark, where the same ask may have been sent within the gap.
 *
 * @param sameAsk the takes so far that asked for the same.
 */
export function restoredMark(
  gap: RestoredGap | undefined,
  sameAsk: readonly TakeHistory[],
): { readonly restored?: RestoredGap } {
  const isKnown = sameAsk.some((history) => markOf(history)?.name === gap?.name);
  return gap === undefined || isKnown ? {} : { restored: gap };
}

/**
 * Makes a take unclear that was claimed after a restore and may have been sent before it; to be called before a take
 * is sent. False where it may be sent.
 */
export async function holdClaimed(ledger: Ledger, address: TakeAddress, history: TakeHistory): Promise<boolean> {
  const gap = markOf(history);
  if (gap === undefined || history.sendings.length > 0) return false;
  await hold(ledger, address, 1, gap);
  return true;
}

/** Makes a take unclear that the backup knows, where it may have been sent (again) since. */
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
 * Makes a take with unreadable records unclear, since it might be sent again once its records are repaired. Written past
 * the ledger, which writes to no take whose intent it cannot read.
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

/** A take with one of these records was surely accepted by the gateway. */
const OF_A_TASK = /^(?:accepted-\d+|settled)$/;

/** Whether the take's last sending is one that nobody saw; then only a person may decide to send it. */
export function isHeld({ sendings }: TakeHistory): boolean {
  const last = sendings.at(-1);
  // The mark is on both records, since a crash can come between them.
  const isMarked = (last?.sent?.['restored'] ?? last?.unclear?.['restored']) !== undefined;
  return isMarked && last?.accepted === undefined && last?.refused === undefined;
}

/**
 * Takes a person's word that nothing was sent within any gap: what was held for that alone may be sent.
 *
 * @returns how many takes were freed.
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

/** Two records and no request: `sent` keeps everybody else from sending, `unclear` asks a person. */
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
