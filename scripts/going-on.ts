import { againCommand, quoted } from '../client/status/again-command';
import { createProductionRecords } from '../client/records/production-records';
import { resumeCommand } from '../client/wording/commands';
import { GENERATIONS } from '../contracts/identifiers';
import { createBatches, createHolds, type Store } from '../store';

/** Printed by the last command that leaves the embedded set: how work continues unattended. */
export const UP_GOES_ON = '`dailies up`, left running, goes on with all that waits';

export interface Answered {
  /** Whether it continues by itself if a worker runs. If false, only the next render follows the decision. */
  readonly goesOn: boolean;
  /** Whether a worker still runs. */
  readonly isServed: boolean;
}

/**
 * Says whether a production or batch continues after an answer, and what to type to see or continue it.
 *
 * If it has ended, only a command that shows it is named: another render would pay again for failed shots.
 */
export async function goingOnInWords(store: Store, id: string, { goesOn, isServed }: Answered): Promise<string> {
  const isBatch = (await createBatches(store.records).begun(id)) !== undefined;
  const again = quoted(await againCommand(store, { what: isBatch ? 'batch' : 'production', id }));
  const look = id === GENERATIONS ? again : quoted(isBatch ? `dailies batch status ${id}` : `dailies status ${id}`);
  if (!goesOn) return `Nothing renders it yet; ${again} does.`;
  // Checked before `isServed`: the production may have ended before the worker stopped with this command.
  if (await hasEnded(store, id)) return `Its render has ended; ${look} shows how.`;
  const hold = await createHolds(store.records).held(id);
  if (hold?.by === 'person') return `It is paused (${hold.reason}); ${quoted(resumeCommand(id))} lets it go on.`;
  if (!isServed) return `Nothing runs now, and it waits; ${again} goes on with it. ${UP_GOES_ON}.`;
  if (hold !== undefined) return `Nothing new is bought for it, since ${hold.reason}; ${again} goes on with it.`;
  return `It goes on by itself; ${look} shows how.`;
}

async function hasEnded(store: Store, id: string): Promise<boolean> {
  if (id === GENERATIONS) return false;
  const records = createProductionRecords(store);
  const { renderId } = (await records.begun(id)) ?? {};
  return renderId !== undefined && (await records.archived(id))?.renderId === renderId;
}
