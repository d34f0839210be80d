import type { Command } from 'commander';
import { runVerb, type VerbOutput } from '../run-verb';
import type { AssembleOptions } from '../verbs/assemble';
import type { CancelOptions } from '../verbs/cancel';
import type { ExportOptions } from '../verbs/export';
import type { ForkOptions } from '../verbs/fork';
import type { PlanOptions } from '../verbs/plan';
import type { PruneOptions } from '../verbs/prune';
import type { RenderOptions } from '../verbs/render';
import { id, positive } from './arguments';
import { json, priority, verb } from './verb';

/** Renders a production, and what is done with a whole one. */
export function addProductionVerbs(program: Command): void {
  verb(program, 'render', 'render a production file into a film, or go on with it')
    .argument('<file>', 'the production, YAML or JSON')
    .option('--id <id>', "name of the production in the store; default the file's own", id)
    .option('--out <folder>', 'where the film and all that belongs to it goes; default as before, or out/<id>')
    .option('--dry-run', 'print the requests as they would be sent, and send nothing')
    .option('--max-in-flight <number>', 'most shots under way at once', positive)
    .addOption(priority())
    .option('--up', 'bring up a worker, and the sandbox, also where a Temporal server is configured')
    .option('--quiet', 'show no progress')
    .option('--yes', 'approve by itself what is to be reviewed: for renders that nobody attends')
    .addOption(json())
    .action((file: string, options: RenderOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/render.js')).render(file, options)),
    );

  verb(program, 'plan', 'show what rendering a file would do and cost; sends and stores nothing')
    .argument('<file>', 'the production, YAML or JSON')
    .option('--id <id>', "name of the production in the store; default the file's own", id)
    .addOption(json())
    .action((file: string, options: PlanOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/plan.js')).plan(file, options)),
    );

  verb(program, 'validate', 'check a production file; nothing is sent or stored')
    .argument('<file>', 'the production, YAML or JSON')
    .addOption(json())
    .action((file: string, options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/validate.js')).validate(file, options)),
    );

  verb(program, 'list', 'list the productions with their state and what they were charged')
    .addOption(json())
    .action((options: VerbOutput) => runVerb(options, async () => (await import('../verbs/list.js')).list(options)));

  verb(program, 'status', 'show where a production stands')
    .argument('<id>', 'the production', id)
    .addOption(json())
    .action((production: string, options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/status.js')).status(production, options)),
    );

  verb(program, 'pause', 'buy nothing new for a production or batch until it is resumed; what runs is collected')
    .argument('<id>', 'the production or batch', id)
    .option('--reason <text>', 'why; shown by status')
    .action((name: string, options: { reason?: string } & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/pause.js')).pause(name, options)),
    );

  verb(program, 'resume', 'let a paused production or batch go on')
    .argument('<id>', 'the production or batch', id)
    .action((name: string, options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/resume.js')).resume(name)),
    );

  verb(
    program,
    'cancel',
    'cancel a production: pay for nothing new, collect what is paid for, and print what it came to',
  )
    .argument('<id>', 'the production', id)
    .option('--no-wait', 'do not wait until it has ended')
    .addOption(json())
    .action((production: string, options: CancelOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/cancel.js')).cancel(production, options)),
    );

  verb(program, 'assemble', 'put a film together of what there is; costs nothing')
    .argument('<id>', 'the production', id)
    .option('--out <folder>', 'where the film goes; default as before, or out/<id>')
    .addOption(json())
    .action((production: string, options: AssembleOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/assemble.js')).assemble(production, options)),
    );

  verb(program, 'export', 'put out what a production or batch has: film, takes and contact sheet, or its results')
    .argument('<id>', 'the production, run or batch', id)
    .option('--out <folder>', 'where it goes; default where it went last time, or out/<id>')
    .addOption(json())
    .action((name: string, options: ExportOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/export.js')).exportFiles(name, options)),
    );

  verb(program, 'notify', 'send the notices of a production or batch again that were not delivered')
    .argument('<what>', 'the production or batch; with --test also a file or an address')
    .option('--test', 'send one of the type test now, and say what came of it')
    .action((what: string, options: { readonly test?: boolean } & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/notify.js')).notify(what, options)),
    );

  verb(program, 'fork', 'make a new production that reuses the paid takes of another one')
    .argument('<id>', 'the production', id)
    .argument('<new-id>', 'name of the new one', id)
    .option('--from <shot>', 'reuse only what comes before this shot in the film', id)
    .addOption(json())
    .action((production: string, newId: string, options: ForkOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/fork.js')).fork(production, newId, options)),
    );

  verb(program, 'prune', 'show what no production stands on, and free it after a yes; the ledger stays')
    .option('--yes', 'say yes beforehand')
    .option('--dry-run', 'only show it')
    .addOption(json())
    .action((options: PruneOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/prune.js')).prune(options)),
    );
}
