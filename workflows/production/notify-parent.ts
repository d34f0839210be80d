import { condition, getExternalWorkflowHandle } from '@temporalio/workflow';
import { onlyPeopleCanGoOn } from '../../contracts/status';
import { waitsForPeopleSignal } from '../messages';
import type { ProductionProgress } from '../progress/production-progress';

/**
 * Delay before the signal, since nothing renders for a moment between the end of one shot and the start of the next.
 */
const SETTLED = '10 seconds';

/** Signals the watching workflow once, when only people can continue the production. Never fails. */
export async function notifyParent(watcher: string, progress: ProductionProgress): Promise<void> {
  const waits = (): boolean => onlyPeopleCanGoOn(progress.status());
  try {
    do await condition(waits);
    while (await condition(() => !waits(), SETTLED));
    await getExternalWorkflowHandle(watcher).signal(waitsForPeopleSignal);
  } catch {
    // The production is being cancelled, or the watching workflow has ended.
  }
}
