import { Option, type Command } from 'commander';
import { EXIT } from '../process/exit-codes';
import { runVerb, VerbFailed, type VerbOutput } from '../process/run-verb';
import type { LedgerOptions } from '../verbs/ledger';
import type { StoreOptions } from '../verbs/store';
import { id } from './arguments';
import { json, verb } from './verb';

/** Verbs about the ledger and the store. */
export function addBookVerbs(program: Command): void {
  verb(program, 'ledger', 'print the ledger: what was sent, accepted and charged')
    .argument('[id]', 'one production; default: all', id)
    .addOption(json())
    .option('--backup <file>', 'write the ledger to one file instead')
    .addOption(new Option('--restore <file>', 'restore the ledger from a file that --backup wrote').conflicts('backup'))
    .option(
      '--nothing-sent-since-backup',
      'you are sure that nothing was sent after the backup: with --restore, holds no take back; without it, releases the takes that an earlier restore holds back',
    )
    .addOption(
      new Option(
        '--rebuild',
        'add records that the ledger has lost, from the workflow histories of the production',
      ).conflicts(['backup', 'restore', 'nothingSentSinceBackup']),
    )
    .action((production: string | undefined, options: LedgerOptions & VerbOutput & { readonly rebuild?: boolean }) =>
      runVerb(options, async () => {
        if (options.rebuild !== true) return (await import('../verbs/ledger.js')).ledger(production, options);
        if (production === undefined)
          throw new VerbFailed(EXIT.refused, 'error: --rebuild needs the id of a production');
        return (await import('../verbs/rebuild-ledger.js')).rebuild(production, options);
      }),
    );

  verb(program, 'audit', 'compare the ledger, store and workflow histories of a production; changes and spends nothing')
    .argument('<id>', 'the production', id)
    .addOption(json())
    .action((production: string, options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/audit.js')).audit(production, options)),
    );

  verb(program, 'store', 'show which store is used and whether it is a copy, or create a new store')
    .addOption(json())
    .addOption(
      new Option('--create', 'create a store with an empty ledger, if there is none').conflicts(['moved', 'adoptCopy']),
    )
    .option('--moved', 'you are sure that the original is gone: the copy is the store from now on')
    .addOption(
      new Option('--adopt-copy', 'the original stays in use: the copy gets an id of its own').conflicts('moved'),
    )
    .action((options: StoreOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/store.js')).store(options)),
    );
}
