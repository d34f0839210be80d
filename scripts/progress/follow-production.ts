import { type FollowedUntil, watchProduction } from '../../client';
import { createExpectedEnd } from '../../client/plan/expected-end';
import { type ManifestExpected } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';
import { type Session } from '../session/open-session';
import { livePossible, startLiveProgress } from './live-progress';
import { startPlainProgress } from './plain-progress';
import { type Progress, type ProgressOptions } from './progress';

/** Minimum time between two estimates of the end, because each estimate reads files. */
const EXPECT_EVERY_MS = 2_000;

/**
 * Shows the progress of a production until it has ended, or until only people can continue it
 * (`until: 'waiting'`, the default).
 *
 * @returns the last known status, which may be `running` if only people can continue the production or if the signal
 *   aborts; undefined if the signal aborts before the first status.
 * @throws EmbeddedSetFailed if the session's local servers and worker give up.
 */
export async function followProduction(
  { client, lost, store, config }: Session,
  productionId: string,
  signal: AbortSignal,
  { until = 'waiting', ...options }: ProgressOptions & { readonly until?: FollowedUntil },
): Promise<ProductionStatus | undefined> {
  let latest: ProductionStatus | undefined;
  let progress: Progress | undefined;
  const expecting = keepExpecting(createExpectedEnd(store, config.account));
  const onStatus = (status: ProductionStatus): void => {
    latest = status;
    progress ??= startProgress(status, options);
    progress.update(status, options.quiet ? null : expecting(status));
  };
  try {
    const last = await Promise.race([watchProduction(client, productionId, onStatus, signal, until), lost]);
    if (last !== undefined) onStatus(last);
    return latest;
  } finally {
    await progress?.end();
  }
}

/**
 * Makes a function that returns the last estimate at once and refreshes the estimate in the background, so that the
 * display does not wait.
 */
function keepExpecting(
  look: ReturnType<typeof createExpectedEnd>,
): (status: ProductionStatus) => ManifestExpected | null {
  let found: ManifestExpected | null = null;
  let lookedAtMs = -Infinity;
  return (status) => {
    if (status.state !== 'running') return null;
    if (Date.now() - lookedAtMs >= EXPECT_EVERY_MS) {
      lookedAtMs = Date.now();
      // Ignore errors: the next refresh reads again.
      look(status).then(
        (expected) => (found = expected),
        () => undefined,
      );
    }
    return found;
  };
}

/**
 * With `quiet`, shows nothing. With `plain`, or if stderr is no terminal or has too few lines for all shots, starts a
 * log with one line per change. Otherwise starts the live list.
 */
export function startProgress(first: ProductionStatus, { plain, quiet }: ProgressOptions): Progress {
  if (quiet) return { update: () => undefined, end: () => Promise.resolve() };
  return !plain && livePossible(first) ? startLiveProgress(first) : startPlainProgress(first);
}
