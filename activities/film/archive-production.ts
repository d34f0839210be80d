import { log } from '@temporalio/activity';
import { type MediaActivities } from '../../contracts/activities';
import { type Store } from '../../store';
import { type RenderAhead } from './render-ahead';
import { withHeartbeat } from '../with-heartbeat';

/**
 * Makes the activity that stores a production's last status, since Temporal deletes the workflow later. The activity
 * also removes the film pieces that were rendered before the film was assembled.
 */
export function createArchiveProduction(
  store: Store,
  renderAhead: Pick<RenderAhead, 'end'>,
): MediaActivities['archiveProduction'] {
  return ({ status }) =>
    withHeartbeat(async ({ cancellationSignal }) => {
      cancellationSignal.throwIfAborted();
      renderAhead.end(status.production);
      // Remove the pieces first, since the record may need their space.
      const pieces = store.films.pieces(status.production);
      await pieces.close().catch((error: unknown) => {
        log.warn('film pieces that were rendered ahead cannot be removed', { reason: String(error) });
      });
      await store.productions.archive(status);
    });
}
