import { ActivityFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import { reasonOf } from '../temporal/activity-failures';
import { archiveActivities, studioActivities } from '../temporal/activity-options';
import { showProductionDetails } from '../progress/ui-details';
import type { ProductionProgress } from '../progress/production-progress';

/**
 * Ends a production whose shots have ended. First assembles the film, if the plan says so and no shot is missing.
 *
 * If a revision arrives during the assembly, the production does not end.
 */
export async function finish(progress: ProductionProgress): Promise<void> {
  const clips = progress.clips();
  if (clips === undefined) {
    const missing = progress.status().shots.filter(({ state }) => state !== 'completed' && state !== 'skipped');
    const isCancelled = missing.some(({ state }) => state === 'cancelled');
    progress.end(isCancelled ? 'cancelled' : 'incomplete', `not rendered: ${missing.map(({ id }) => id).join(', ')}`);
  } else if (progress.input().plan.assemble && clips.length > 0) {
    await assemble(progress, clips);
  } else {
    progress.end('completed', null);
  }
  showProductionDetails(progress);
}

type Clips = NonNullable<ReturnType<ProductionProgress['clips']>>;

async function assemble(progress: ProductionProgress, clips: Clips): Promise<void> {
  const revisions = progress.revisions();
  const isRevised = (): boolean => progress.revisions() !== revisions;
  progress.setAssembly('running');
  showProductionDetails(progress);
  try {
    const film = await studioActivities().assembleFilm({ production: progress.input().production, clips });
    if (isRevised()) return;
    progress.setAssembly('completed', film);
    progress.end('completed', null);
  } catch (error) {
    if (isRevised()) return;
    progress.setAssembly('failed');
    if (isCancellation(error)) progress.end('cancelled', 'cancelled before the film was assembled');
    else if (error instanceof ActivityFailure) progress.end('incomplete', `no film: ${reasonOf(error)}`);
    else throw error;
  }
}

/** Archives the production's status. If the activity fails, the production ends without an archive. */
export async function archive(progress: ProductionProgress): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    try {
      await archiveActivities().archiveProduction({ status: progress.wholeStatus() });
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
    }
  });
}
