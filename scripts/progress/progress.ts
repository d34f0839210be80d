import { type ManifestExpected } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';
import { livePossible, startLiveProgress } from './live-progress';
import { startPlainProgress } from './plain-progress';

/** Shows on stderr how a production goes on. */
export interface Progress {
  /** @param expected when it is expected to end; null if that cannot be estimated. */
  update(status: ProductionStatus, expected: ManifestExpected | null): void;
  /** Ends the display and leaves its last state standing. */
  end(): Promise<void>;
}

export interface ProgressOptions {
  /** One line a change, also on a terminal: for output that a program reads along with. */
  readonly plain: boolean;
  readonly quiet: boolean;
}

/** A live list of shots on a terminal, one line per change elsewhere. */
export function startProgress(first: ProductionStatus, { plain, quiet }: ProgressOptions): Progress {
  if (quiet) return { update: () => undefined, end: () => Promise.resolve() };
  return !plain && livePossible(first) ? startLiveProgress(first) : startPlainProgress(first);
}
