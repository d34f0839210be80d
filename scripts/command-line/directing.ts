import { type Command, Option } from 'commander';
import { runVerb, type VerbOutput } from '../process/run-verb';
import type { CarryOutOptions } from '../renders/carry-out';
import type { BudgetOptions } from '../verbs/budget';
import type { ResolveOptions } from '../renders/resolve-all';
import type { RetakeOptions } from '../verbs/retake';
import { amount, id, positive } from './arguments';
import { json, outcome, retaking, verb } from './verb';

/** Verbs for a person's decisions about a production and its shots. */
export function addDirectingVerbs(program: Command): void {
  verb(program, 'resolve', 'decide how a parked shot continues')
    .argument('<id>', 'the production', id)
    .argument('[shot]', 'the shot', id)
    .option('--adopt <task-id>', 'the gateway accepted the task; this is its id')
    .option('--resubmit', 'submit it again; the gateway may charge for it')
    .option(
      '--yes',
      'do not ask; with --resubmit for one take, submit even if the task may have ended or its output can be collected',
    )
    .option('--skip', 'leave the shot out')
    .option('--use <file>', 'use this file instead; it must be of the kind that the shot makes')
    .option('--wait', 'wait for the task again, or collect its output again')
    .option('--take <number>', 'number of the take, if several are parked', positive)
    .option('--all', 'with --resubmit or --skip: all takes that are parked for the same reason; asks once')
    .addOption(new Option('--for <reason>', 'with --all: the reason').choices(['unclear']))
    .action((production: string, shot: string | undefined, options: ResolveOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/resolve.js')).resolve(production, shot, options)),
    );

  verb(program, 'budget', 'show what a production may cost and has cost, or change its budget')
    .argument('<id>', 'the production', id)
    .option('--credits <number>', 'maximum that the gateway may charge for it, over all renders', amount)
    .addOption(json())
    .action((production: string, options: BudgetOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/budget.js')).budget(production, options)),
    );

  verb(program, 'takes', 'list the takes of a production: parameters, cost, and which one is chosen')
    .argument('<id>', 'the production', id)
    .argument('[shot]', 'one shot; default: all', id)
    .addOption(json())
    .action((production: string, shot: string | undefined, options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/takes.js')).takes(production, shot, options)),
    );

  outcome(
    verb(
      program,
      'choose',
      'use another take of a shot; asks first if rendering the shots that become stale costs credits',
    ),
  )
    .argument('<id>', 'the production', id)
    .argument('<shot>', 'the shot', id)
    .argument('<take>', 'number of the take', positive)
    .action((production: string, shot: string, take: string, options: CarryOutOptions & VerbOutput) =>
      runVerb(options, async () =>
        (await import('../verbs/choose.js')).choose(production, shot, Number(take), options),
      ),
    );

  retaking(
    verb(program, 'retake', 'make another take of a shot; shows first what becomes stale and what it costs'),
  ).action((production: string, shot: string, options: RetakeOptions & VerbOutput) =>
    runVerb(options, async () => (await import('../verbs/retake.js')).retake(production, shot, options)),
  );

  verb(program, 'approve', 'approve a take of a shot in review')
    .argument('<id>', 'the production', id)
    .argument('<shot>', 'the shot', id)
    .option('--take <number>', 'number of the take; default: the chosen one', positive)
    .action((production: string, shot: string, options: { readonly take?: number } & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/approve.js')).approve(production, shot, options)),
    );

  retaking(verb(program, 'reject', 'reject the takes of a shot in review and make another one')).action(
    (production: string, shot: string, options: RetakeOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/reject.js')).reject(production, shot, options)),
  );

  verb(program, 'review', 'show each take that waits for you, and ask on the terminal what to do with it')
    .argument('<id>', 'the production', id)
    .addOption(json().hideHelp())
    .action((production: string, options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/review.js')).reviewProduction(production, options)),
    );

  outcome(verb(program, 'edit', 'change a running production to a new version of its file'))
    .argument('<id>', 'the production', id)
    .argument('<file>', 'the production: YAML or JSON')
    .action((production: string, file: string, options: CarryOutOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/edit.js')).edit(production, file, options)),
    );
}
