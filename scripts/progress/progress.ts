import { type ManifestExpected } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';

/** Shows the progress of a production on stderr. */
export interface Progress {
  /** @param expected the expected end of the production; null if there is no estimate. */
  update(status: ProductionStatus, expected: ManifestExpected | null): void;
  /** Ends the display. Its last state stays on the screen. */
  end(): Promise<void>;
}

export interface ProgressOptions {
  /** One line per change even on a terminal, for output that a program reads. */
  readonly plain: boolean;
  readonly quiet: boolean;
}
