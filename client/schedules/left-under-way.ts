import { type Client } from '@temporalio/client';
import { runProductionId, scheduleId } from '../../contracts/identifiers';
import { type Store } from '../../store';
import { Refused } from '../wording/refused';
import { timeOfRun } from './schedule-view';

/**
 * Checks that a deleted schedule has no scheduled run in progress. A new schedule of the same name would not see that
 * run, and would begin another one beside it.
 *
 * @throws Refused if there is such a run.
 */
export async function refuseLeftUnderWay(
  { workflow }: Client,
  { id: storeId, runs }: Pick<Store, 'id' | 'runs'>,
  name: string,
): Promise<void> {
  const query = `TemporalScheduledById = "${scheduleId(storeId, name)}" AND ExecutionStatus = "Running"`;
  for await (const { workflowId, runId } of workflow.list({ query })) {
    // The list can be out of date.
    const { status } = await workflow.getHandle(workflowId, runId).describe();
    if (status.name !== 'RUNNING') continue;
    const id = runProductionId(name, timeOfRun(workflowId), 'schedule');
    const isBatch = (await runs.run(name, id))?.kind === 'batch';
    throw new Refused(
      `"${id}", a run of the deleted schedule "${name}", is under way; create the schedule when the run has ended, ` +
        'or cancel the run: ' +
        `\`dailies ${isBatch ? 'batch cancel' : 'cancel'} ${id}\``,
    );
  }
}
