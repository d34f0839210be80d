#!/usr/bin/env node
import { Command } from 'commander';
import { addAccountVerbs } from './command-line/account';
import { addBatchVerbs } from './command-line/batches';
import { addBookVerbs } from './command-line/books';
import { addDirectingVerbs } from './command-line/directing';
import { addProcessVerbs } from './command-line/processes';
import { addProductionVerbs } from './command-line/productions';
import { addScheduleVerbs } from './command-line/schedules';
import { addTaskVerbs } from './command-line/tasks';
import { outliveReaders } from './streams';

/**
 * The command. Each verb's work is loaded only when it is called: help has to answer before a person has noticed the wait,
 * and Temporal's client alone takes longer than that to load.
 */

const EXIT_CODES = `
Exit codes:
  0    completed
  1    anything else
  2    invalid input, or refused as things stand
  3    ended with shots missing, cancelled, paused, or waiting for a person
  4    the gateway or Temporal cannot be reached
  130  interrupted; what was started goes on, or goes on at the next render
`;

const program = new Command('dailies')
  .description('Durable multi-shot video production: every shot rendered once, every credit accounted for.')
  .showHelpAfterError('(run with --help for what is allowed)')
  .addHelpText('after', EXIT_CODES)
  // What stands behind a verb is the verb's own; `batch` has verbs below it with flags of the same names.
  .enablePositionalOptions()
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));

addProductionVerbs(program);
addBatchVerbs(program);
addDirectingVerbs(program);
addBookVerbs(program);
addScheduleVerbs(program);
addTaskVerbs(program);
addAccountVerbs(program);
addProcessVerbs(program);

outliveReaders();
void program.parseAsync();
