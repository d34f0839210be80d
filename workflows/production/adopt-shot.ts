import { CancellationScope, condition, getExternalWorkflowHandle } from '@temporalio/workflow';
import { shotWorkflowId } from '../../contracts/identifiers';
import type { ProductionInput, ShotOutcome } from '../../contracts/workflows';
import { reportProgressSignal } from '../messages';

/**
 * Interval of checks for a terminated shot, which cannot report its end. A check costs about ten events, and a shot may
 * wait weeks for a person.
 */
const CHECK_AFTER = '1 day';

export interface AdoptedShot {
  readonly shotId: string;
  readonly runId: string;
  /** The reported outcome; null until the shot reports it. */
  readonly end: () => ShotOutcome | null;
  /** Called when a request to the shot starts and when it ends. */
  readonly onRequest: (isAsking: boolean) => void;
}

/**
 * Waits for the end of a shot that its production started before continue-as-new.
 *
 * Asks the shot for its state. The shot later reports its end by a signal. If the current scope is cancelled, cancels
 * the shot and waits for its end.
 *
 * @returns undefined if the shot has to be started again: it ended without a report, or something other than this scope
 * cancelled it, for example the continue-as-new itself. The shot's new run finds paid work in the ledger.
 */
export async function adoptShot(
  { storeId, productionId }: Pick<ProductionInput, 'storeId' | 'productionId'>,
  { shotId, runId, end, onRequest }: AdoptedShot,
): Promise<ShotOutcome | undefined> {
  const shot = getExternalWorkflowHandle(shotWorkflowId(storeId, productionId, shotId), runId);
  const scope = CancellationScope.current();
  let isCancelled = false;
  return CancellationScope.nonCancellable(async () => {
    for (;;) {
      onRequest(true);
      const isThere = await isDelivered(shot.signal(reportProgressSignal));
      if (isThere && scope.consideredCancelled) {
        isCancelled = true;
        await isDelivered(shot.cancel());
      }
      onRequest(false);
      const isDecided = (): boolean => end() !== null || (scope.consideredCancelled && !isCancelled);
      if (isThere) await condition(isDecided, CHECK_AFTER);
      const ended = end();
      if (ended !== null) return ended.state === 'cancelled' && !scope.consideredCancelled ? undefined : ended;
      if (!isThere) return undefined;
    }
  });
}

function isDelivered(request: Promise<void>): Promise<boolean> {
  return request.then(
    () => true,
    () => false,
  );
}
