import { CancellationScope, condition, getExternalWorkflowHandle } from '@temporalio/workflow';
import { shotWorkflowId } from '../../contracts/identifiers';
import type { ProductionInput, ShotOutcome } from '../../contracts/workflows';
import { reportProgressSignal } from '../messages';

/** Only a shot that was ended by force does not tell its end. Each look is some ten events, and people take weeks. */
const LOOK_AFTER = '1 day';

export interface AdoptedShot {
  readonly shotId: string;
  readonly runId: string;
  /** How it has ended, once it has told; null until then. */
  readonly end: () => ShotOutcome | null;
  /** Told while the shot is asked where it stands, and after. */
  readonly asking: (isAsking: boolean) => void;
}

/**
 * Waits for the end of a shot that an earlier history of its production has begun. It is asked where it stands, and tells
 * its end by a signal. A cancellation is passed on to it; then its end is waited for.
 *
 * @returns undefined if it is to be begun anew: it has ended without telling, or was cancelled by somebody else, as by
 * the end of the history that had begun it. What it has paid for is in the ledger.
 */
export async function adoptShot(
  { storeId, productionId }: Pick<ProductionInput, 'storeId' | 'productionId'>,
  { shotId, runId, end, asking }: AdoptedShot,
): Promise<ShotOutcome | undefined> {
  const shot = getExternalWorkflowHandle(shotWorkflowId(storeId, productionId, shotId), runId);
  const scope = CancellationScope.current();
  let isCancelled = false;
  return CancellationScope.nonCancellable(async () => {
    for (;;) {
      asking(true);
      const isThere = await isDelivered(shot.signal(reportProgressSignal));
      if (isThere && scope.consideredCancelled) {
        isCancelled = true;
        await isDelivered(shot.cancel());
      }
      asking(false);
      const mayGoOn = (): boolean => end() !== null || (scope.consideredCancelled && !isCancelled);
      if (isThere) await condition(mayGoOn, LOOK_AFTER);
      const ended = end();
      if (ended !== null) return ended.state === 'cancelled' && !scope.consideredCancelled ? undefined : ended;
      if (!isThere) return undefined;
    }
  });
}

function isDelivered(telling: Promise<void>): Promise<boolean> {
  return telling.then(
    () => true,
    () => false,
  );
}
