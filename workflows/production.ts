import {
  ActivityFailure,
  CancellationScope,
  condition,
  isCancellation,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { ProductionStatus } from '../contracts/status';
import type { EndState, ProductionInput } from '../contracts/workflows';
import { archiveActivities, studioActivities } from './activity-options';
import { productionStatusQuery, shotProgressSignal } from './messages';
import { blocked, linkedFrames, startable } from './plan';
import { ProductionProgress } from './production-progress';
import { renderShot } from './render-shot';

/**
 * A film from its frozen plan: renders the shots, independent chains side by side, and assembles what they left.
 *
 * A shot that fails holds back only what starts on its frames. Cancellation drains: nothing new is paid for, what is
 * paid for is collected. It ends with its status, which is also archived for the time after Temporal forgets.
 */
export async function production(input: ProductionInput): Promise<ProductionStatus> {
  const progress = new ProductionProgress(input);
  setHandler(productionStatusQuery, () => progress.status());
  setHandler(shotProgressSignal, (shotProgress) => {
    progress.shotProgressed(shotProgress);
  });

  await renderShots(input, progress);
  await assemble(input, progress);
  await archive(progress);
  return progress.status();
}

async function renderShots(input: ProductionInput, progress: ProductionProgress): Promise<void> {
  const underWay = new Set<string>();
  let cancelled = false;
  for (;;) {
    for (const shot of cancelled ? [] : startable(input.plan, progress.standings())) {
      progress.shotStarted(shot.id);
      underWay.add(shot.id);
      void renderShot(input, shot, linkedFrames(shot, progress.standings())).then((outcome) => {
        progress.shotEnded(shot.id, outcome);
        underWay.delete(shot.id);
      });
    }
    tell(progress);
    if (underWay.size === 0) break;
    const inFlight = progress.inFlight();
    const before = underWay.size;
    try {
      // A shot that is parked makes room for another.
      await condition(() => underWay.size < before || progress.inFlight() !== inFlight);
    } catch (error) {
      if (!isCancellation(error)) throw error;
      cancelled = true;
      await CancellationScope.nonCancellable(() => condition(() => underWay.size === 0));
    }
  }
  if (cancelled) progress.cancelPending();
  for (const [id, by] of blocked(input.plan, progress.standings())) progress.shotBlocked(id, by);
}

async function assemble(input: ProductionInput, progress: ProductionProgress): Promise<void> {
  const end = (state: EndState, reason: string | null = null): void => {
    progress.end(state, reason);
    tell(progress);
  };
  const clips = progress.clips();
  if (clips === undefined) {
    const missing = progress.status().shots.filter(({ state }) => state !== 'completed' && state !== 'skipped');
    const isCancelled = missing.some(({ state }) => state === 'cancelled');
    end(isCancelled ? 'cancelled' : 'incomplete', `not rendered: ${missing.map(({ id }) => id).join(', ')}`);
    return;
  }
  if (!input.plan.assemble || clips.length === 0) {
    end('completed');
    return;
  }
  progress.assemblyIs('running');
  tell(progress);
  try {
    const film = await studioActivities().assembleFilm({ production: input.production, clips });
    progress.assemblyIs('completed', film);
    end('completed');
  } catch (error) {
    progress.assemblyIs('failed');
    if (isCancellation(error)) end('cancelled', 'cancelled before the film was assembled');
    else if (error instanceof ActivityFailure) end('incomplete', `no film: ${error.cause?.message ?? error.message}`);
    else throw error;
  }
}

/** A store that cannot be written costs the archive, not the production. */
async function archive(progress: ProductionProgress): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    try {
      await archiveActivities().archiveProduction({ status: progress.status() });
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
    }
  });
}

/** What Temporal's own UI shows of the production. */
function tell(progress: ProductionProgress): void {
  const { title, state, shots, assembly } = progress.status();
  const lines = shots.map(
    ({ id, state: shotState, reason }) => `- ${id}: ${shotState}${reason === null ? '' : ` (${reason})`}`,
  );
  setCurrentDetails([`**${title}**: ${state}; film: ${assembly}`, ...lines].join('\n'));
}
