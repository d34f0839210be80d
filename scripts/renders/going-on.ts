import { againCommand, quoted } from '../../client/status/again-command';
import { hasEnded } from '../../client/status/stored-status';
import { resumeCommand } from '../../client/wording/commands';
import { GENERATIONS } from '../../contracts/identifiers';
import { type Store } from '../../store';

/** Printed if the embedded Temporal and worker stop with the command. Waiting work then does not continue. */
export const UP_GOES_ON = '`dailies up` continues all waiting work for as long as it runs';

/** Printed if a person interrupts a command before it has asked for any work. */
export const INTERRUPTED_BEFORE = 'Interrupted before anything was started.';

/** The effect of a person's answer on a production or batch. */
export interface Continuation {
  /** Whether the work continues by itself if a worker runs. If false, the answer takes effect in the next render. */
  readonly goesOn: boolean;
  /** Whether a worker still runs. */
  readonly isServed: boolean;
}

/**
 * Says whether a production or batch continues after an answer, and names the command that shows or continues it.
 *
 * If the render has ended meanwhile, the message names only a status command: another render would pay again for failed
 * shots.
 */
export async function goingOnInWords(store: Store, id: string, { goesOn, isServed }: Continuation): Promise<string> {
  const isBatch = (await store.batches.begun(id)) !== undefined;
  const again = quoted(await againCommand(store, { what: isBatch ? 'batch' : 'production', id }));
  const look = id === GENERATIONS ? again : quoted(isBatch ? `dailies batch status ${id}` : `dailies status ${id}`);
  if (!goesOn) return `Nothing renders it yet; ${again} renders it.`;
  // Checked before `isServed`: the production may have ended before the worker stopped with this command.
  if (await hasEnded(store, id)) return `Its render has ended; ${look} shows how.`;
  const hold = await store.holds.inForce(id);
  if (hold?.by === 'person') return `It is paused (${hold.reason}); ${quoted(resumeCommand(id))} lets it go on.`;
  if (!isServed) return `Nothing runs now, and it waits; ${again} goes on with it. ${UP_GOES_ON}.`;
  if (hold !== undefined) return `Nothing new is bought for it, since ${hold.reason}; ${again} goes on with it.`;
  return `It goes on by itself; ${look} shows how.`;
}
