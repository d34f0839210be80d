import { condition, getExternalWorkflowHandle } from '@temporalio/workflow';
import { onlyPeopleCanGoOn } from '../../contracts/status';
import { waitsForPeopleSignal } from '../messages';
import type { ProductionProgress } from '../progress/production-progress';

/** Between the end of one shot and the start of the next nothing renders either. */
const SETTLED = '10 seconds';

/**
 * Tells a workflow that waits for this production once only people can go on with it. Never fails: what nobody hears is
 * of no use to anybody.
 */
export async function notifyParent(watcher: string, progress: ProductionProgress): Promise<void> {
  const waits = (): boolean => onlyPeopleCanGoOn(progress.status());
  try {
    do await condition(waits);
    while (await condition(() => !waits(), SETTLED));
    await getExternalWorkflowHandle(watcher).signal(waitsForPeopleSignal);
  } catch {
    // The production is being cancelled, or whoever waited has gone.
  }
}
