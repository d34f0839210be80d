import type { Command } from 'commander';
import { runVerb, type VerbOutput } from '../process/run-verb';
import type { AssembleOptions } from '../verbs/assemble';
import type { CancelOptions } from '../verbs/cancel';
import type { ExportOptions } from '../verbs/export';
import type { ForkOptions } from '../verbs/fork';
import type { PlanOptions } from '../verbs/plan';
import type { PruneOptions } from '../verbs/prune';
import type { RenderOptions } from '../verbs/render';
import { id, positive } from './arguments';
import { json, priority, verb } from './verb';

/** Verbs about whole productions. Some also take a batch. */
export function addProductionVerbs(program: Command): void {
  addFileVerbs(program);
  addStateVerbs(program);
  addResultVerbs(program);
  addKeptFileVerbs(program);
}

/** Verbs that take a production file. */
function addFileVerbs(program: Command): void {
  verb(program, 'render', 'render a production file into a film, or continue an earlier render')
    .argument('<file>', 'the production: YAML or JSON')
    .option('--id <id>', 'name of the production in the store; default: from the file', id)
    .option('--out <folder>', 'folder for the film and its files; default: the one given last, or out/<id>')
    .option('--dry-run', 'print the requests and send nothing')
    .option('--max-in-flight <number>', 'maximum number of shots in progress', positive)
    .addOption(priority())
    .option('--up', 'start a worker, and the sandbox if no gateway is set, even if a Temporal server is configured')
    .option('--quiet', 'show no progress')
    .option('--yes', 'approve every review without asking; for unattended renders')
    .addOption(json())
    .action((file: string, options: RenderOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/render.js')).render(file, options)),
    );

  verb(program, 'plan', 'show what a render of a file would do and cost; sends and stores nothing')
    .argument('<file>', 'the production: YAML or JSON')
    .option('--id <id>', 'name of the production in the store; default: from the file', id)
    .addOption(json())
    .action((file: string, options: PlanOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/plan.js')).plan(file, options)),
    );

  verb(program, 'validate', 'check a production file; sends and stores nothing')
    .argument('<file>', 'the production: YAML or JSON')
    .addOption(json())
    .action((file: string, options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/validate.js')).validate(file, options)),
    );
}

/** Verbs that show or change whether productions and batches run. */
function addStateVerbs(program: Command): void {
  verb(program, 'list', 'list the productions and batches with their state and charges')
    .addOption(json())
    .action((options: VerbOutput) => runVerb(options, async () => (await import('../verbs/list.js')).list(options)));

  verb(program, 'status', 'show the state of a production or batch')
    .argument('<id>', 'the production or batch', id)
    .addOption(json())
    .action((production: string, options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/status.js')).status(production, options)),
    );

  verb(
    program,
    'pause',
    'submit nothing new for a production or batch until it is resumed; running tasks are collected',
  )
    .argument('<id>', 'the production or batch', id)
    .option('--reason <text>', 'the reason; shown by status')
    .action((name: string, options: { reason?: string } & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/pause.js')).pause(name, options)),
    );

  verb(program, 'resume', 'continue a paused production or batch')
    .argument('<id>', 'the production or batch', id)
    .action((name: string, options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/resume.js')).resume(name)),
    );

  verb(program, 'cancel', 'cancel a production: submit nothing new, collect what is paid for, and print a settlement')
    .argument('<id>', 'the production', id)
    .option('--no-wait', 'return at once, before it has ended')
    .addOption(json())
    .action((production: string, options: CancelOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/cancel.js')).cancel(production, options)),
    );
}

/** Verbs that write or send the results of a production or batch: films, files and notices. */
function addResultVerbs(program: Command): void {
  verb(program, 'assemble', 'make a film of the takes that exist; costs nothing')
    .argument('<id>', 'the production', id)
    .option('--out <folder>', 'folder for the film; default: the one given last, or out/<id>')
    .addOption(json())
    .action((production: string, options: AssembleOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/assemble.js')).assemble(production, options)),
    );

  verb(
    program,
    'export',
    'write the film, takes and contact sheet of a production, or the results of a batch; costs nothing',
  )
    .argument('<id>', 'the production, run or batch', id)
    .option('--out <folder>', 'folder for the files; default: the one given last, or out/<id>')
    .addOption(json())
    .action((name: string, options: ExportOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/export.js')).exportFiles(name, options)),
    );

  verb(program, 'notify', 'send the undelivered notices of a production or batch again')
    .argument('<what>', 'the production or batch; with --test also a file or an address')
    .option('--test', 'send a notice of the type test now and show the result')
    .action((what: string, options: { readonly test?: boolean } & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/notify.js')).notify(what, options)),
    );
}

/** Verbs that reuse or delete files that the store keeps. */
function addKeptFileVerbs(program: Command): void {
  verb(program, 'fork', 'make a new production that reuses the paid takes of another one')
    .argument('<id>', 'the production', id)
    .argument('<new-id>', 'name of the new production', id)
    .option('--from <shot>', 'reuse only the shots before this one', id)
    .addOption(json())
    .action((production: string, newId: string, options: ForkOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/fork.js')).fork(production, newId, options)),
    );

  verb(
    program,
    'prune',
    'list the files that no production uses, and delete them after a confirmation; the ledger stays',
  )
    .option('--yes', 'do not ask')
    .option('--dry-run', 'only list them')
    .addOption(json())
    .action((options: PruneOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/prune.js')).prune(options)),
    );
}
