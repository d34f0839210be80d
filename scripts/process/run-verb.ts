import { grpcErrorIn, hasNoAnswer } from '../../client/temporal/unavailable';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes';
import { printJson, tell, tellMessage } from './streams';
import { endWith } from './surroundings';

const NO_ANSWER =
  'The server may be starting. The command may have had its effect: look before you type it again, for example with ' +
  '`dailies list`.';

export interface VerbOutput {
  /** stdout has one JSON value, even if the verb throws. After an interrupt, `assemble` and `generate` print none. */
  readonly json?: boolean;
  /** Errors are printed with their stack. */
  readonly verbose?: boolean;
}

/** Runs a verb and sets the exit code. A failure is printed on stderr and, with `json`, as `{ "error" }` on stdout. */
export async function runVerb({ json, verbose }: VerbOutput, verb: () => Promise<ExitCode>): Promise<void> {
  endWith(await verb().catch((error: unknown) => failed(error, json === true, verbose === true)));
}

/** Ends a verb with a complete message: neither `error:` nor indentation is added to it. */
export class VerbFailed extends Error {
  override readonly name = 'VerbFailed';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

function failed(error: unknown, json: boolean, verbose: boolean): ExitCode {
  const message = error instanceof Error ? messageOf(error) : String(error);
  const code = error instanceof VerbFailed ? error.exitCode : exitCodeOf(error);
  if (json) printJson({ error: message });
  if (error instanceof VerbFailed) tell(message.split('\n'));
  else tellMessage(`error: ${message}${hasNoAnswer(error) ? `\n${NO_ANSWER}` : ''}`);
  if (verbose && error instanceof Error) tellMessage(error.stack ?? '');
  else if (code === EXIT.failed) tell('Run it again with --verbose to see where that happened.');
  return code;
}

/** Temporal's client names only the call that failed, such as `Failed to query Workflow`; the cause has the reason. */
function messageOf(error: Error): string {
  const reason = grpcErrorIn(error)?.details;
  return reason === undefined ? error.message : `Temporal: ${error.message} (${reason})`;
}
