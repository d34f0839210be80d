import { type ManifestExpected } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';
import { livePossible, startLiveProgress } from './live-progress';
import { startPlainProgress } from './plain-progress';

/** Shows the progress of a production on stderr. */
export interface Progress {
  /** @param expected when it is expected to end; null if that cannot be estimated. */
  update(status: ProductionStatus, expected: ManifestExpected | null): void;
  /** Ends the display. Its last state stays on the screen. */
  end(): Promise<void>;
}

export interface ProgressOptions {
  /** One line per change even on a terminal, for output that a program reads. */
  readonly plain: boolean;
  readonly quiet: boolean;
}

/** A live list of shots on a terminal, one line per change elsewhere. */
export function startProgress(first: ProductionStatus, { plain, quiet }: ProgressOptions): Progress {
  if (quiet) return { update: () => undefined, end: () => Promise.resolve() };
  return !plain && livePossible(first) ? startLiveProgress(first) : startPlainProgress(first);
}
