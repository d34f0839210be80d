import { isUnavailable } from '../client/unavailable';

/** What an exit code says to the program that ran the command. Documented in README.md, section "Commands". */
export const EXIT = {
  completed: 0,
  /** A bug, or a machine that fails. */
  failed: 1,
  /** Nothing was done, since what was asked for is wrong or refused as things stand. */
  refused: 2,
  /** The production has ended with shots missing, was cancelled or paused, or waits for a person. */
  incomplete: 3,
  /** The gateway or Temporal cannot be reached. */
  unreachable: 4,
  /** Ctrl-C; the shells' own number for it. What was started goes on, or goes on at the next `render`. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * Names of error classes by what they mean to the caller. docs/failures.md explains each; a test holds the two equal.
 *
 * By name, since importing the classes would load every module behind them before `--help` can answer.
 */
export const ERROR_EXIT_CODES: ReadonlyMap<string, ExitCode> = new Map([
  ['Refused', EXIT.refused],
  ['ConfigError', EXIT.refused],
  ['StoreError', EXIT.refused],
  ['FfmpegMissingError', EXIT.refused],
  ['EmbeddedSetMismatch', EXIT.refused],
  ['EmbeddedSetFailed', EXIT.unreachable],
  ['GatewayUnreachable', EXIT.unreachable],
  ['TemporalUnreachable', EXIT.unreachable],
]);

export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof Error)) return EXIT.failed;
  return ERROR_EXIT_CODES.get(error.name) ?? (isUnavailable(error) ? EXIT.unreachable : EXIT.failed);
}
