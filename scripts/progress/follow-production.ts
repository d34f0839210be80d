import { type FollowedUntil, watchProduction } from '../../client';
import { type ProductionStatus } from '../../contracts/status';
import { type Session } from '../session';
import { type Progress, type ProgressOptions, startProgress } from './progress';

/**
 * Shows how a production goes on until it has ended, or waits for people alone, and returns its last status that is
 * known: still `running` where the signal came first.
 *
 * @throws EmbeddedSetFailed where the set that serves it is given up.
 */
export async function followProduction(
  { client, lost }: Session,
  productionId: string,
  signal: AbortSignal,
  { until = 'waiting', ...options }: ProgressOptions & { readonly until?: FollowedUntil },
): Promise<ProductionStatus | undefined> {
  let latest: ProductionStatus | undefined;
  let progress: Progress | undefined;
  const onStatus = (status: ProductionStatus): void => {
    latest = status;
    progress ??= startProgress(status, options);
    progress.update(status);
  };
  try {
    const last = await Promise.race([watchProduction(client, productionId, onStatus, signal, until), lost]);
    if (last !== undefined) onStatus(last);
    return latest;
  } finally {
    await progress?.end();
  }
}
