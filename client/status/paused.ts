import { type ProductionStatus } from '../../contracts/status';
import { type Hold, type Store } from '../../store';
import { againCommand, quoted } from './again-command';
import { Refused, unknownProductionOrBatch } from '../wording/refused';
import { resumeCommand } from '../wording/commands';

/**
 * A pause: a person's hold on a production or batch that is running, parked or interrupted.
 *
 * A pause is a record in the store and needs no worker. Workers check for the record before every submit. A pause does
 * not stop a submit that has passed the check.
 */

/** A production or batch that a person may pause or resume. */
export interface Pausable {
  readonly what: 'production' | 'batch';
  readonly id: string;
  readonly state: ProductionStatus['state'];
}

/**
 * Pauses a production or batch.
 *
 * @param pausable undefined if the id is unknown.
 * @throws Refused if the id is unknown, or if the production or batch has ended or is paused already.
 */
export async function beginPause(
  store: Store,
  id: string,
  pausable: Pausable | undefined,
  reason: string,
): Promise<void> {
  if (pausable === undefined) throw await unknownProductionOrBatch(store, id);
  if (pausable.state !== 'running') throw hasEnded(pausable, 'pause');
  if (await store.holds.pause(id, reason)) return;
  throw new Refused(`${pausable.what} "${id}" is paused already; \`${resumeCommand(id)}\` goes on with it`);
}

/** Ends a pause. @throws Refused if no person has paused the production or batch, or if it has ended since. */
export async function endPause(store: Store, id: string, pausable: Pausable | undefined): Promise<void> {
  const { holds } = store;
  const hold = await holds.inForce(id);
  if (pausable !== undefined && pausable.state !== 'running') throw hasEnded(pausable, 'resume');
  if (hold?.by === 'person') {
    await holds.resume(id);
    return;
  }
  if (pausable === undefined) throw await unknownProductionOrBatch(store, id);
  const notPaused = `${pausable.what} "${id}" is not paused`;
  throw new Refused(
    hold === undefined
      ? notPaused
      : `${notPaused}: ${hold.reason}; ${quoted(await againCommand(store, pausable))} goes on with it`,
  );
}

/** Reads the state of a production or batch; undefined if the id is unknown. */
type ReadState = () => Promise<Pick<Pausable, 'state'> | undefined>;

/**
 * Ends a pause if its production or batch is not running any more.
 *
 * @returns the pause if it is still in force.
 */
export async function endStalePause(store: Store, id: string, readState: ReadState): Promise<Hold | undefined> {
  const { holds } = store;
  const hold = await holds.inForce(id);
  if (hold?.by !== 'person') return undefined;
  if ((await readState())?.state === 'running') return hold;
  await holds.resume(id);
  return undefined;
}

/** Called before a production or batch begins. @throws Refused if a pause is in force. */
export async function refuseWhilePaused(
  store: Store,
  what: Pausable['what'],
  id: string,
  readState: ReadState,
): Promise<void> {
  const pause = await endStalePause(store, id, readState);
  if (pause === undefined) return;
  throw new Refused(
    `${what} "${id}" has been paused since ${pause.since} (${pause.reason}); \`${resumeCommand(id)}\` lets it go on`,
  );
}

function hasEnded({ what, id, state }: Pausable, verb: string): Refused {
  return new Refused(`${what} "${id}" has ended (${state}); there is nothing to ${verb}`);
}
