import { Option, type Command } from 'commander';
import { EXIT } from '../exit-codes';
import { runVerb, VerbFailed, type VerbOutput } from '../run-verb';
import type { LedgerOptions } from '../verbs/ledger';
import type { StoreOptions } from '../verbs/store';
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
    .addOption(
      new Option('--rebuild', 'note what histories of the production know and the ledger has lost').conflicts([
        'backup',
        'restore',
        'nothingSentSinceBackup',
      ]),
    )
    .action((production: string | undefined, options: LedgerOptions & VerbOutput & { readonly rebuild?: boolean }) =>
      runVerb(options, async () => {
        if (options.rebuild !== true) return (await import('../verbs/ledger.js')).ledger(production, options);
        if (production === undefined)
          throw new VerbFailed(EXIT.refused, 'error: --rebuild needs the id of a production');
        return (await import('../verbs/rebuild-ledger.js')).rebuild(production, options);
      }),
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

  verb(program, 'store', 'show which store this is and whether it is a copy, or make a new one')
    .addOption(json())
    .addOption(
      new Option('--create', 'make a new store with an empty ledger, unless there is one').conflicts([
        'moved',
        'adoptCopy',
      ]),
    )
    .option('--moved', 'your word that the original is gone: the copy is the store from now on')
    .addOption(
      new Option('--adopt-copy', 'your word that the original goes on: the copy gets an id of its own').conflicts(
        'moved',
      ),
    )
    .action((options: StoreOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/store.js')).store(options)),
    );
}
