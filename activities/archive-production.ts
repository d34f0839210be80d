import { log } from '@temporalio/activity';
import { type MediaActivities } from '../contracts/activities';
import { createKeptPieces, type Store } from '../store';
import { type RenderAhead } from './render-ahead';
import { withHeartbeat } from './with-heartbeat';

/** Keeps a production's last status for the time after Temporal has forgotten it, and what was only for its film no more. */
export function createArchiveProduction(
  store: Store,
  renderAhead: Pick<RenderAhead, 'end'>,
): MediaActivities['archiveProduction'] {
  return ({ status }) =>
    withHeartbeat(async ({ cancellationSignal }) => {
      cancellationSignal.throwIfAborted();
      renderAhead.end(status.production);
      // First, since the space may be what the record lacks.
      const pieces = createKeptPieces(store, status.production);
      await pieces.close().catch((error: unknown) => {
        log.warn('what was rendered ahead of the film cannot be removed', { reason: String(error) });
      });
      await store.records.replace(`productions/${status.production}/status`, status);
    });
}
