import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { openStore, type FolderStore, type TakeAddress } from '../../store';
import { AT, intent, sent, settled } from '../support/ledger-fixtures';
import { temporaryFolder } from '../support/temporary-folder';

/** The state of a take in the ledger. */
export type Standing =
  | 'intended'
  | 'on the wire'
  | 'abandoned'
  | 'accepted'
  | 'settled'
  | 'failed'
  | 'refused for now'
  | 'refused for credits'
  | 'unclear';

/** A sender that died silently long ago. */
const LONG_PAST_MS = Date.parse(AT);

export async function newStore(): Promise<FolderStore> {
  return openStore(join(await temporaryFolder(), 'store'));
}

export function address(shotId: string, take = 1, productionId = 'film'): TakeAddress {
  return { productionId, shotId, take };
}

/** Records a take of account `sandbox` in the given state. Its task is named after its shot. */
export async function book(
  { ledger }: FolderStore,
  at: TakeAddress,
  standing: Standing,
  changes: Parameters<typeof intent>[0] = {},
): Promise<void> {
  const taskId = `task-${at.shotId}`;
  await ledger.intend(at, intent(changes));
  if (standing === 'intended') return;
  await ledger.beginSending(at, 1, standing === 'abandoned' ? sent(LONG_PAST_MS) : sent());
  if (standing === 'on the wire' || standing === 'abandoned') return;
  if (standing === 'unclear') {
    await ledger.endSending(at, 1, { kind: 'unclear', record: { reason: 'no answer', at: AT } });
    return;
  }
  if (standing === 'refused for now' || standing === 'refused for credits') {
    const record =
      standing === 'refused for now' ? { reason: '429' } : { reason: '402: no credits', kind: 'credits' as const };
    await ledger.endSending(at, 1, { kind: 'refused', record: { ...record, again: true, at: AT } });
    return;
  }
  await ledger.endSending(at, 1, { kind: 'accepted', record: { taskId, at: AT } });
  if (standing === 'accepted') return;
  await ledger.settle(
    at,
    settled(standing === 'failed' ? 'failed' : 'completed', taskId, standing === 'failed' ? null : 12),
  );
}

/** A store with many productions of one take each. `most` tells how many takes were read at the same time at most. */
export async function storeOfMany(productions: number): Promise<{ store: FolderStore; most: () => number }> {
  const store = await newStore();
  let [now, most] = [0, 0];
  const ledger: FolderStore['ledger'] = {
    ...store.ledger,
    productions: () => Promise.resolve(Array.from({ length: productions }, (_, index) => `film-${index}`)),
    shots: () => Promise.resolve(['dawn']),
    numbers: () => Promise.resolve([1]),
    async take({ take }) {
      now += 1;
      most = Math.max(most, now);
      await nextTick();
      now -= 1;
      return { take, intent: intent(), sendings: [], decisions: [] };
    },
  };
  return { store: { ...store, ledger }, most: () => most };
}
