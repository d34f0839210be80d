import { Option, type Command } from 'commander';
import { runVerb, type VerbOutput } from '../run-verb';
import type { LedgerOptions } from '../verbs/ledger';
import { id } from './arguments';
import { json, verb } from './verb';

/** The books. */
export function addBookVerbs(program: Command): void {
  verb(program, 'ledger', 'print the books: what was sent, accepted and charged')
    .argument('[id]', 'one production; default all', id)
    .addOption(json())
    .option('--backup <file>', 'write the ledger to one file instead')
    .addOption(new Option('--restore <file>', 'bring the ledger back from such a file').conflicts('backup'))
    .option('--nothing-sent-since-backup', 'your word for it, after a restore: then nothing is held back')
    .action((production: string | undefined, options: LedgerOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/ledger.js')).ledger(production, options)),
    );

  verb(
    program,
    'audit',
    'hold ledger, store and histories of a production against each other; mends and spends nothing',
  )
    .argument('<id>', 'the production', id)
    .addOption(json())
    .action((production: string, options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/audit.js')).audit(production, options)),
    );
}
