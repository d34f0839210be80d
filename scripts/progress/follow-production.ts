import { type FollowedUntil, watchProduction } from '../../client';
import { createExpectedEnd } from '../../client/expected-end';
import { type ManifestExpected } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';
import { type Session } from '../session';
import { type Progress, type ProgressOptions, startProgress } from './progress';

/** The end is expected anew so often at most: usual times change with each task that ends, and files are read for it. */
const EXPECT_EVERY_MS = 2_000;

/**
 * Shows how a production goes on until it has ended, or waits for people alone, and returns its last status that is
 * known: still `running` where the signal came first.
 *
 * @throws EmbeddedSetFailed where the set that serves it is given up.
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

/** Tells what was last expected, and looks again beside it: a display does not wait for that. */
function keepExpecting(
  look: ReturnType<typeof createExpectedEnd>,
): (status: ProductionStatus) => ManifestExpected | null {
  let found: ManifestExpected | null = null;
  let lookedAtMs = -Infinity;
  return (status) => {
    if (status.state !== 'running') return null;
    if (Date.now() - lookedAtMs >= EXPECT_EVERY_MS) {
      lookedAtMs = Date.now();
      // What cannot be read now is read the next time.
      look(status).then(
        (expected) => (found = expected),
        () => undefined,
      );
    }
    return found;
  };
}
