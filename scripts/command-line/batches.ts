import type { Command } from 'commander';
import { nearestName } from '../../client/wording/nearest-name';
import { runVerb, type VerbOutput } from '../process/run-verb';
import { tellMessage } from '../process/streams';
import type { BatchOptions } from '../verbs/batch';
import type { RetryFailedOptions } from '../verbs/batch-retry-failed';
import { id, positive } from './arguments';
import { json, priority, verb } from './verb';

export function addBatchVerbs(program: Command): void {
  // Options after a subcommand belong to the subcommand.
  const batch = verb(program, 'batch', 'render the missing and the changed rows of a file')
    .enablePositionalOptions()
    .argument('<file>', 'the rows: CSV, JSONL or YAML; write ./status for a file that is named like a subcommand')
    .option('--id <id>', 'name of the batch in the store; default: from the file', id)
    .option('--dry-run', 'check every row and show which would be rendered; sends and stores nothing');
  outcome(bounds(batch)).action((file: string, options: BatchOptions & VerbOutput) =>
    runVerb(options, async () => (await import('../verbs/batch.js')).batch(file, options)),
  );

  verb(batch, 'status', 'show the state of a batch: counts, failures, and rows that wait for you')
    .argument('<id>', 'the batch', id)
    .addOption(json())
    .action((name: string, options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/batch-status.js')).batchStatus(name, options)),
    );

  verb(batch, 'cancel', 'cancel a batch: submit nothing new, and collect what is paid for')
    .argument('<id>', 'the batch', id)
    .option('--no-wait', 'return at once, before the batch has ended')
    .addOption(json())
    .action((name: string, options: { readonly wait: boolean } & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/batch-cancel.js')).batchCancel(name, options)),
    );

  outcome(bounds(verb(batch, 'retry-failed', 'render the failed rows again')))
    .argument('<id>', 'the batch', id)
    .option('--missing', 'also render rows that are parked, were cancelled, were never started or whose result is lost')
    .action((name: string, options: RetryFailedOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/batch-retry-failed.js')).batchRetryFailed(name, options)),
    );

  verb(batch, 'results', 'write the results of a batch to files, with results.jsonl and results.csv')
    .argument('<id>', 'the batch', id)
    .option('--out <folder>', 'folder for the results; default: the one given last, or out/<id>')
    .addOption(json())
    .action((name: string, options: { readonly out?: string } & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/batch-results.js')).batchResults(name, options)),
    );

  // Commander takes a misspelt subcommand for the file, and the words after it for excess arguments. So suggest the
  // subcommand. Set this override last, because subcommands that are added later would inherit it.
  batch.exitOverride((error) => {
    const names = batch.commands.map((subcommand) => subcommand.name());
    const near = error.code === 'commander.excessArguments' ? nearestName(batch.args[0] ?? '', names) : undefined;
    if (near !== undefined) tellMessage(`(Did you mean ${near}?)`);
    throw error;
  });
}

function bounds(command: Command): Command {
  return command
    .option('--parallel <number>', 'maximum number of rows in progress', positive)
    .option('--stop-after-failures <number>', 'start no further rows after this many failures', positive)
    .addOption(priority());
}

function outcome(command: Command): Command {
  return command
    .option('--out <folder>', 'folder for the results; default: the one given last, or out/<id>')
    .option('--no-wait', 'return as soon as the batch has started')
    .option('--quiet', 'show no progress')
    .addOption(json());
}
