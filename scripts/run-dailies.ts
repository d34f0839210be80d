import { Command, CommanderError } from 'commander';
import { addAccountVerbs } from './command-line/account';
import { addBatchVerbs } from './command-line/batches';
import { addBookVerbs } from './command-line/books';
import { addDirectingVerbs } from './command-line/directing';
import { addProcessVerbs } from './command-line/processes';
import { addProductionVerbs } from './command-line/productions';
import { addScheduleVerbs } from './command-line/schedules';
import { addTaskVerbs } from './command-line/tasks';
import { EXIT, EXIT_MEANINGS, type ExitCode } from './process/exit-codes';
import { tellMessage } from './process/streams';
import { endWith, type Surroundings, within } from './process/surroundings';

/** Width of the help if the output is not a terminal. */
const DEFAULT_COLUMNS = 80;

const EXIT_CODES = [
  '\nExit codes:',
  ...Object.entries(EXIT_MEANINGS).map(([code, meaning]) => `  ${code.padEnd(3)}  ${meaning}`),
].join('\n');

/**
 * Runs the command and returns its exit code.
 *
 * Commands other than `worker` use the working directory, environment, streams and signals of the process only through
 * `surroundings`. So several commands can run at once in one process. Child processes such as ffmpeg still get
 * variables of the process.
 *
 * A verb's modules are loaded only when the verb is called. Otherwise `--help` would be noticeably slow, because
 * Temporal's client takes long to load.
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

/** All verbs with their arguments and flags. `npm run reference` lists them in docs/commands.md. */
export function commandLine({ stdout, stderr }: Pick<Surroundings, 'stdout' | 'stderr'>): Command {
  const program = new Command('dailies')
    .description('Durable multi-shot video production: every shot rendered once, every credit accounted for.')
    .showHelpAfterError('(run with --help for what is allowed)')
    .addHelpText('after', EXIT_CODES)
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // The text repeats arguments, which may contain control characters; `tellMessage` escapes them.
      outputError: (text) => {
        tellMessage(text.trimEnd());
      },
      getOutHelpWidth: () => stdout.columns ?? DEFAULT_COLUMNS,
      getErrHelpWidth: () => stderr.columns ?? DEFAULT_COLUMNS,
    })
    // Options after a verb belong to the verb: `batch` and its subcommands have options of the same names.
    .enablePositionalOptions()
    .exitOverride();
  addProductionVerbs(program.commandsGroup('Productions:'));
  addDirectingVerbs(program.commandsGroup('Directing:'));
  addBatchVerbs(program.commandsGroup('Batches:'));
  addScheduleVerbs(program.commandsGroup('Schedules:'));
  addTaskVerbs(program.commandsGroup('Single tasks:'));
  addAccountVerbs(program.commandsGroup('Account:'));
  addBookVerbs(program.commandsGroup('Ledger and store:'));
  addProcessVerbs(program.commandsGroup('Processes:'));
  return program;
}
