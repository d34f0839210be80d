import { type ProductionStatus } from '../contracts/status';
import { createHolds, type Hold, type Store } from '../store';
import { Refused, unknownProduction } from './refused';
import { resumeCommand } from './waiting';

/**
 * A pause: a person's hold on a production that runs, is parked or was interrupted.
 *
 * It is a record in the store and needs no worker: every submit looks at it right before it sends. A submit that is on
 * the wire in that moment counts as under way.
 */

/** Of a production, or of a batch. */
type KnownStatus = Pick<ProductionStatus, 'production' | 'state'> | undefined;

/** @param status where the production stands. @throws Refused where there is nothing to pause. */
export async function pauseProduction(
  store: Store,
  productionId: string,
  status: KnownStatus,
  reason: string,
): Promise<void> {
  if (status === undefined) throw unknownProduction(productionId);
  if (status.state !== 'running') throw hasEnded(status, 'pause');
  if (await createHolds(store.records).pause(productionId, reason)) return;
  throw new Refused(
    `production "${productionId}" is paused already; \`${resumeCommand(productionId)}\` goes on with it`,
  );
}

/** Lets a paused production go on. @throws Refused where nobody had paused it, or it has ended since. */
export async function resumeProduction(store: Store, productionId: string, status: KnownStatus): Promise<void> {
  const holds = createHolds(store.records);
  const hold = await holds.held(productionId);
  if (status !== undefined && status.state !== 'running') throw hasEnded(status, 'resume');
  if (hold?.by === 'person') {
    await holds.resume(productionId);
    return;
  }
  if (status === undefined) throw unknownProduction(productionId);
  throw new Refused(
    hold === undefined
      ? `production "${productionId}" is not paused`
      : `production "${productionId}" is not paused: ${hold.reason}; \`dailies render FILE\` goes on with it`,
  );
}

/**
 * Ends a pause that its production or batch has outlived.
 *
 * @param look where that stands. @returns the pause that is in force.
 */
export async function endOutlivedPause(
  store: Store,
  productionId: string,
  look: () => Promise<KnownStatus>,
): Promise<Hold | undefined> {
  const holds = createHolds(store.records);
  const hold = await holds.held(productionId);
  if (hold?.by !== 'person') return undefined;
  if ((await look())?.state === 'running') return hold;
  await holds.resume(productionId);
  return undefined;
}

/** @throws Refused while a production or batch, as `production "film"`, is paused: it is not to be begun. */
export async function refuseWhilePaused(
  store: Store,
  what: 'production' | 'batch',
  id: string,
  look: () => Promise<KnownStatus>,
): Promise<void> {
  const pause = await endOutlivedPause(store, id, look);
  if (pause === undefined) return;
  throw new Refused(
    `${what} "${id}" is paused since ${pause.since} (${pause.reason}); \`${resumeCommand(id)}\` lets it go on`,
  );
}

function hasEnded({ production, state }: NonNullable<KnownStatus>, what: string): Refused {
  return new Refused(`production "${production}" has ended (${state}); there is nothing to ${what}`);
}
