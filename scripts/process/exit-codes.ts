import { hasNoAnswer } from '../../client/temporal/unavailable';

/** The exit codes of `dailies`. docs/commands.md lists them (`npm run reference`). */
export const EXIT = {
  completed: 0,
  /** Any other error, such as a bug or a fault of the machine; or `notify` could not deliver a notice. */
  failed: 1,
  /** The input is invalid, the command is refused in the current state, or a check of `doctor` failed. */
  refused: 2,
  /** The work is incomplete, was cancelled or paused, or waits for a person; or `audit` found differences. */
  incomplete: 3,
  /** The gateway or Temporal cannot be reached. */
  unreachable: 4,
  /** Ctrl-C or another signal; shells use the same number. Started work continues, now or at the next `render`. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The meanings that `--help` shows, one line each, at most 73 characters. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  [EXIT.completed]: 'completed',
  [EXIT.failed]: 'any other error: a bug, or a fault of the machine',
  [EXIT.refused]: 'invalid input, or refused in the current state',
  [EXIT.incomplete]: 'incomplete, cancelled, paused, or waiting for you; audit: differences',
  [EXIT.unreachable]: 'the gateway or Temporal cannot be reached',
  [EXIT.interrupted]: 'interrupted; the work continues, now or at the next render',
};

/**
 * Exit codes by the name of the error's class. docs/failures.md explains each error; a test keeps this map and the page
 * equal.
 *
 * Names, not classes: importing the classes would load all their modules before `--help` can answer.
 */
export const ERROR_EXIT_CODES: ReadonlyMap<string, ExitCode> = new Map([
  ['Refused', EXIT.refused],
  ['ConfigError', EXIT.refused],
  ['StoreError', EXIT.refused],
  ['FfmpegMissingError', EXIT.refused],
  ['WorkerPackageMissing', EXIT.refused],
  ['EmbeddedSetMismatch', EXIT.refused],
  ['EmbeddedSetFailed', EXIT.unreachable],
  ['GatewayUnreachable', EXIT.unreachable],
  ['TemporalUnreachable', EXIT.unreachable],
]);

export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof Error)) return EXIT.failed;
  return ERROR_EXIT_CODES.get(error.name) ?? (hasNoAnswer(error) ? EXIT.unreachable : EXIT.failed);
}
