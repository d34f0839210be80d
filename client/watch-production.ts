import { setTimeout as delay } from 'node:timers/promises';
import { type ProductionStatus } from '../contracts/status';
import { type DailiesClient } from './dailies-client';
import { retryWhileUnavailable } from './once-back';
import { waitsForPeople } from '../contracts/status';

/** Quick enough for a display that lives; each look is a query that a worker answers in some 10 ms. */
const LOOK_EVERY_MS = 500;

/** A Temporal server that is started again is back within seconds. */
const RECONNECT_EVERY_MS = 2_000;

/** Up to where a production is followed: where it waits for people alone, or its end, as of one that is cancelled. */
export type FollowedUntil = 'waiting' | 'ended';

/**
 * Follows a production until it has ended, or waits for people alone, and returns its last status; undefined when the signal stops it first.
 *
 * A Temporal server or worker that is away for a while is waited for.
 */
export async function watchProduction(
  client: DailiesClient,
  productionId: string,
  onStatus: (status: ProductionStatus) => void,
  signal: AbortSignal,
  until: FollowedUntil,
): Promise<ProductionStatus | undefined> {
  const over = new AbortController();
  const isOver = AbortSignal.any([signal, over.signal]);
  const looking = look(client, productionId, onStatus, isOver, until);
  try {
    return await Promise.race([ended(client, productionId, isOver), waiting(looking), aborted(signal)]);
  } finally {
    over.abort();
    await Promise.race([looking, delay(RECONNECT_EVERY_MS, undefined, { ref: false })]);
  }
}

/** Resolves where looking has found that only people can make it go on. */
async function waiting(looking: Promise<ProductionStatus | undefined>): Promise<ProductionStatus> {
  const status = await looking;
  return status ?? new Promise<never>(() => undefined);
}

async function look(
  client: DailiesClient,
  productionId: string,
  onStatus: (status: ProductionStatus) => void,
  signal: AbortSignal,
  until: FollowedUntil,
): Promise<ProductionStatus | undefined> {
  while (!signal.aborted) {
    // Where nobody answers there is no news; whether the production has ended is for the other side to find out.
    const status = await client.status(productionId).catch(() => undefined);
    if (status !== undefined && !isAborted(signal)) {
      onStatus(status);
      if (until === 'waiting' && waitsForPeople(status)) return status;
    }
    await pause(LOOK_EVERY_MS, signal);
  }
  return undefined;
}

async function ended(
  client: DailiesClient,
  productionId: string,
  signal: AbortSignal,
): Promise<ProductionStatus | undefined> {
  while (!signal.aborted) {
    const last = await retryWhileUnavailable(() => client.ended(productionId, signal), signal);
    if (last !== undefined && last.state !== 'running') return last;
    await pause(RECONNECT_EVERY_MS, signal);
  }
  return undefined;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => {
      resolve(undefined);
    });
  });
}

/** Asked anew, since it changes while something is awaited. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
