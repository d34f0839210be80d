import { type LatestTake, type LatestTakeLine } from '../../contracts/gateway/latest-take';
import { type TakeRef } from '../../contracts/render/take';
import { lacksTake, type Store } from '../../store';
import { failure } from '../fail';
import { whileLedgerServes } from '../translate-error';

/**
 * Time between two checks by one worker. A check makes two calls to Temporal: it reads the latest noted take, and notes
 * the take to be sent now. So an older copy of the ledger passes if it lacks only takes that were not noted.
 */
const CHECK_EVERY_MS = 60_000;

/** Retry delay after a failed check. A worker with a stale ledger ends; another worker may have a newer ledger. */
const TRY_AGAIN_MS = 5_000;

export interface LatestTakes {
  /**
   * Checks that the ledger has the take that Temporal records as the latest, then records `take` as the latest. A call
   * during a check only waits for that check. A call within a minute after a passed check does nothing. Call this after
   * the take's intent is written and before the take is sent.
   *
   * @throws StaleLedger (retried), also if Temporal does not answer; LedgerUnavailable (retried)
   */
  check(take: TakeRef): Promise<void>;
}

export interface LatestTakesOptions {
  readonly store: Pick<Store, 'name' | 'ledger' | 'restores'>;
  /** Undefined if the ledger is not checked. */
  readonly line: LatestTakeLine | undefined;
  /** Called when the ledger is found to be an older copy. */
  readonly onStale: (latest: LatestTake) => void;
}

export function createLatestTakes({ store, line, onStale }: LatestTakesOptions): LatestTakes {
  let checkedAtMs = -Infinity;
  let checking: Promise<void> | undefined;

  async function compareAndNote(line: LatestTakeLine, { productionId, shotId, takeKey, take }: TakeRef): Promise<void> {
    const atMs = performance.now();
    const latest = await asked(line.read());
    if (latest !== undefined && (await whileLedgerServes(() => lacksTake(store, latest)))) {
      onStale(latest);
      throw failure(
        'StaleLedger',
        `the ledger in ${store.name} lacks a take of ${latest.productionId}/${latest.shotId} that was sent on ${latest.at}`,
        { nextRetryDelayMs: TRY_AGAIN_MS },
      );
    }
    await asked(line.note({ productionId, shotId, takeKey, take, at: new Date().toISOString() }));
    checkedAtMs = atMs;
  }

  return {
    async check(take) {
      if (line === undefined || performance.now() - checkedAtMs < CHECK_EVERY_MS) return;
      checking ??= compareAndNote(line, take).finally(() => {
        checking = undefined;
      });
      await checking;
    },
  };
}

async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw failure('StaleLedger', `Temporal cannot be asked whether the ledger has the latest take: ${String(error)}`, {
      cause: error,
      nextRetryDelayMs: TRY_AGAIN_MS,
    });
  }
}
