import type { Command } from 'commander';
import { runVerb, type VerbOutput } from '../run-verb';
import type { BatchOptions } from '../verbs/batch';
import type { RetryFailedOptions } from '../verbs/batch-retry-failed';
import { id, positive } from './arguments';
import { json, priority, verb } from './verb';

/** Many rows at once. */
export function addBatchVerbs(program: Command): void {
  // What stands behind a subcommand is the subcommand's own.
  const batch = verb(program, 'batch', 'render every row of a file: what is missing or has changed')
    .enablePositionalOptions()
    .argument('<file>', 'the rows, CSV, JSONL or YAML; ./status for a file of the name of a subcommand')
    .option('--id <id>', "name of the batch in the store; default the file's own", id)
    .option('--dry-run', 'check every row, and say how many there are to render; sends and stores nothing');
  outcome(bounds(batch)).action((file: string, options: BatchOptions & VerbOutput) =>
    runVerb(options, async () => (await import('../verbs/batch.js')).batch(file, options)),
  );

  verb(batch, 'status', 'show where a batch stands: counts, failures, and what waits for you')
    .argument('<id>', 'the batch', id)
    .addOption(json())
    .action((name: string, options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/batch-status.js')).batchStatus(name, options)),
    );

  verb(batch, 'cancel', 'pay for nothing new, and collect what is paid for')
    .argument('<id>', 'the batch', id)
    .option('--no-wait', 'end as soon as the batch is told')
    .addOption(json())
    .action((name: string, options: { readonly wait: boolean } & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/batch-cancel.js')).batchCancel(name, options)),
    );

  outcome(bounds(verb(batch, 'retry-failed', 'render the rows again that have failed')))
    .argument('<id>', 'the batch', id)
    .option('--missing', 'all that is missing: also what was cancelled, never begun or lost')
    .action((name: string, options: RetryFailedOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/batch-retry-failed.js')).batchRetryFailed(name, options)),
    );

  verb(batch, 'results', 'put out what a batch has left, with its lists: results.jsonl and results.csv')
    .argument('<id>', 'the batch', id)
    .option('--out <folder>', 'where it goes; default as before, or out/<id>')
    .addOption(json())
    .action((name: string, options: { readonly out?: string } & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/batch-results.js')).batchResults(name, options)),
    );
}

function bounds(command: Command): Command {
  return command
    .option('--parallel <number>', 'most rows under way at once', positive)
    .option('--stop-after-failures <number>', 'begin no further rows after so many failures', positive)
    .addOption(priority());
}

function outcome(command: Command): Command {
  return command
    .option('--out <folder>', 'where the results go; default as before, or out/<id>')
    .option('--no-wait', 'end as soon as it is under way')
    .option('--quiet', 'show no progress')
    .addOption(json());
}
