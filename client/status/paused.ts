import { type ProductionStatus } from '../../contracts/status';
import { createBatches, createHolds, type Hold, type Store } from '../../store';
import { againCommand, quoted } from './again-command';
import { createProductionRecords } from '../records/production-records';
import { Refused, unknownId } from '../wording/refused';
import { resumeCommand } from '../wording/commands';

/**
 * A pause: a person's hold on a production or batch that is running, parked or interrupted.
 *
 * A pause is a record in the store and needs no worker. Every submit reads it right before sending. A submit that is
 * being sent at that moment is not stopped.
 */

export interface Standing {
  readonly what: 'production' | 'batch';
  readonly id: string;
  readonly state: ProductionStatus['state'];
}

/**
 * Pauses a production or batch. @param standing undefined if the id is unknown. @throws Refused if there is nothing to
 * pause.
 */
export async function beginPause(
  store: Store,
  id: string,
  standing: Standing | undefined,
  reason: string,
): Promise<void> {
  if (standing === undefined) throw await unknown(store, id);
  if (standing.state !== 'running') throw hasEnded(standing, 'pause');
  if (await createHolds(store.records).pause(id, reason)) return;
  throw new Refused(`${standing.what} "${id}" is paused already; \`${resumeCommand(id)}\` goes on with it`);
}

/** Ends a pause. @throws Refused if a person has not paused it, or it has ended since. */
export async function endPause(store: Store, id: string, standing: Standing | undefined): Promise<void> {
  const holds = createHolds(store.records);
  const hold = await holds.held(id);
  if (standing !== undefined && standing.state !== 'running') throw hasEnded(standing, 'resume');
  if (hold?.by === 'person') {
    await holds.resume(id);
    return;
  }
  if (standing === undefined) throw await unknown(store, id);
  const notPaused = `${standing.what} "${id}" is not paused`;
  throw new Refused(
    hold === undefined
      ? notPaused
      : `${notPaused}: ${hold.reason}; ${quoted(await againCommand(store, standing))} goes on with it`,
  );
}

/** Reads the state of a production or batch; undefined if it is unknown. */
type Look = () => Promise<Pick<Standing, 'state'> | undefined>;

/**
 * Ends a pause whose production or batch has ended.
 *
 * @returns the pause that is still in force.
 */
export async function endOutlivedPause(store: Store, id: string, look: Look): Promise<Hold | undefined> {
  const holds = createHolds(store.records);
  const hold = await holds.held(id);
  if (hold?.by !== 'person') return undefined;
  if ((await look())?.state === 'running') return hold;
  await holds.resume(id);
  return undefined;
}

/** @throws Refused if the production or batch is paused, so that it does not begin. */
export async function refuseWhilePaused(store: Store, what: Standing['what'], id: string, look: Look): Promise<void> {
  const pause = await endOutlivedPause(store, id, look);
  if (pause === undefined) return;
  throw new Refused(
    `${what} "${id}" is paused since ${pause.since} (${pause.reason}); \`${resumeCommand(id)}\` lets it go on`,
  );
}

function hasEnded({ what, id, state }: Standing, verb: string): Refused {
  return new Refused(`${what} "${id}" has ended (${state}); there is nothing to ${verb}`);
}

async function unknown(store: Store, id: string): Promise<Refused> {
  const ids = [...(await createProductionRecords(store).ids()), ...(await createBatches(store.records).ids())];
  return unknownId('production or batch', id, ids);
}
