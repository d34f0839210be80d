import { setTimeout as delay } from 'node:timers/promises';
import { type ProductionStatus } from '../../contracts/status';
import { type DailiesClient } from './dailies-client';
import { withOwnSignal } from '../temporal/own-signal';
import { retryWhileUnavailable } from '../temporal/retry-while-unavailable';
import { waitsForPeople } from '../../contracts/status';

/** Fast enough for a live display. Each check is a query that a worker answers in about 10 ms. */
const CHECK_EVERY_MS = 500;

/** A restarted Temporal server is back within seconds. */
const RECONNECT_EVERY_MS = 2_000;

/** When to stop following a production. `waiting`: also when only people can continue it. */
export type FollowedUntil = 'waiting' | 'ended';

/**
 * Follows a production until it has ended. If `until` is `waiting`, also stops when only people can continue it. Keeps
 * waiting while the Temporal server or workers are unavailable.
 *
 * @returns the last status; undefined if the signal aborts first.
 */
export async function watchProduction(
  client: DailiesClient,
  productionId: string,
  onStatus: (status: ProductionStatus) => void,
  signal: AbortSignal,
  until: FollowedUntil,
): Promise<ProductionStatus | undefined> {
  return withOwnSignal(signal, async (own) => {
    const watching = reportStatus(client, productionId, onStatus, own.signal, until);
    try {
      return await Promise.race([ended(client, productionId, own.signal), waiting(watching), aborted(own.signal)]);
    } finally {
      own.abort();
      await Promise.race([watching, delay(RECONNECT_EVERY_MS, undefined, { ref: false })]);
    }
  });
}

/** Resolves only if `watching` returns a status: then only people can continue the production. */
async function waiting(watching: Promise<ProductionStatus | undefined>): Promise<ProductionStatus> {
  const status = await watching;
  return status ?? new Promise<never>(() => undefined);
}

async function reportStatus(
  client: DailiesClient,
  productionId: string,
  onStatus: (status: ProductionStatus) => void,
  signal: AbortSignal,
  until: FollowedUntil,
): Promise<ProductionStatus | undefined> {
  while (!signal.aborted) {
    // Skip a failed read. `ended` finds out whether the production has ended.
    const status = await client.status(productionId).catch(() => undefined);
    if (status !== undefined && !isAborted(signal)) {
      onStatus(status);
      if (until === 'waiting' && waitsForPeople(status)) return status;
    }
    await pause(CHECK_EVERY_MS, signal);
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

/** A function, because TypeScript would infer from the loop's condition that `signal.aborted` stays false. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
