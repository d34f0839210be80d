import { Command, CommanderError } from 'commander';
import { addAccountVerbs } from './command-line/account';
import { addBatchVerbs } from './command-line/batches';
import { addBookVerbs } from './command-line/books';
import { addDirectingVerbs } from './command-line/directing';
import { addProcessVerbs } from './command-line/processes';
import { addProductionVerbs } from './command-line/productions';
import { addScheduleVerbs } from './command-line/schedules';
import { addTaskVerbs } from './command-line/tasks';
import { EXIT, type ExitCode } from './exit-codes';
import { tellMessage } from './streams';
import { endWith, type Surroundings, within } from './surroundings';

/** The width of an output that is not a terminal. */
const DEFAULT_COLUMNS = 80;

const EXIT_CODES = `
Exit codes:
  0    completed
  1    anything else
  2    invalid input, or refused as things stand
  3    ended with shots missing, cancelled, paused, or waiting for a person
  4    the gateway or Temporal cannot be reached
  130  interrupted; what was started goes on, or goes on at the next render
`;

/**
 * Runs the command and returns its exit code.
 *
 * It uses nothing of the process except its surroundings, so that several commands can run at once in one process. The
 * modules of a verb are loaded only when it is called: help has to answer before a person notices a wait, and Temporal's
 * client alone takes longer than that to load.
 */
export function runDailies(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  return within(surroundings, async () => {
    try {
      await commandLine(surroundings).parseAsync(args, { from: 'user' });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      endWith(error.exitCode === 0 ? EXIT.completed : EXIT.refused);
    }
  });
}

/** All verbs with their arguments and flags. */
export function commandLine({ stdout, stderr }: Pick<Surroundings, 'stdout' | 'stderr'>): Command {
  const program = new Command('dailies')
    .description('Durable multi-shot video production: every shot rendered once, every credit accounted for.')
    .showHelpAfterError('(run with --help for what is allowed)')
    .addHelpText('after', EXIT_CODES)
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // It repeats what was typed, which may be the name of a file.
      outputError: (text) => {
        tellMessage(text.trimEnd());
      },
      getOutHelpWidth: () => stdout.columns ?? DEFAULT_COLUMNS,
      getErrHelpWidth: () => stderr.columns ?? DEFAULT_COLUMNS,
    })
    // What stands behind a verb is the verb's own; `batch` has verbs below it with flags of the same names.
    .enablePositionalOptions()
    .exitOverride();
  addProductionVerbs(program);
  addBatchVerbs(program);
  addDirectingVerbs(program);
  addBookVerbs(program);
  addScheduleVerbs(program);
  addTaskVerbs(program);
  addAccountVerbs(program);
  addProcessVerbs(program);
  return program;
}
