#!/usr/bin/env node
import { Command, InvalidArgumentError, Option } from 'commander';
import { ID_PATTERN } from '../contracts/identifiers';
import { runVerb, type VerbOutput } from './run-verb';
import { outliveReaders } from './streams';
import type { CarryOutOptions } from './carry-out';
import type { AssembleOptions } from './verbs/assemble';
import type { BudgetOptions } from './verbs/budget';
import type { CancelOptions } from './verbs/cancel';
import type { DoctorOptions } from './verbs/doctor';
import type { ForkOptions } from './verbs/fork';
import type { GenerateOptions } from './verbs/generate';
import type { LedgerOptions } from './verbs/ledger';
import type { PlanOptions } from './verbs/plan';
import type { PruneOptions } from './verbs/prune';
import type { ResolveOptions } from './verbs/resolve';
import type { RenderOptions } from './verbs/render';
import type { RetakeOptions } from './verbs/retake';
import type { SandboxFlags } from './verbs/sandbox';

/**
 * The command. Each verb is loaded only when it is called: help has to answer before a person has noticed the wait,
 * and Temporal's client alone takes longer than that to load.
 */

/** A port that is the same each time, so that the variables to set stay the same. */
const SANDBOX_PORT = 4010;

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
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));

verb('render', 'render a production file into a film, or go on with it')
  .argument('<file>', 'the production, YAML or JSON')
  .option('--id <id>', "name of the production in the store; default the file's own", id)
  .option('--out <folder>', 'where the film and all that belongs to it goes; default out/<id>')
  .option('--dry-run', 'print the requests as they would be sent, and send nothing')
  .option('--max-in-flight <number>', 'most shots under way at once', positive)
  .option('--up', 'bring up a worker, and the sandbox, also where a Temporal server is configured')
  .option('--quiet', 'show no progress')
  .option('--yes', 'approve by itself what is to be reviewed: for renders that nobody attends')
  .addOption(json())
  .action((file: string, options: RenderOptions & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/render.js')).render(file, options)),
  );

verb('plan', 'show what rendering a file would do and cost; sends and stores nothing')
  .argument('<file>', 'the production, YAML or JSON')
  .option('--id <id>', "name of the production in the store; default the file's own", id)
  .addOption(json())
  .action((file: string, options: PlanOptions & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/plan.js')).plan(file, options)),
  );

verb('list', 'list the productions with their state and what they were charged')
  .addOption(json())
  .action((options: VerbOutput) => runVerb(options, async () => (await import('./verbs/list.js')).list(options)));

verb('status', 'show where a production stands')
  .argument('<id>', 'the production', id)
  .addOption(json())
  .action((production: string, options: VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/status.js')).status(production, options)),
  );

verb('pause', 'buy nothing new for a production until it is resumed; what runs is collected')
  .argument('<id>', 'the production', id)
  .option('--reason <text>', 'why; shown by status')
  .action((production: string, options: { reason?: string } & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/pause.js')).pause(production, options)),
  );

verb('resume', 'let a paused production go on')
  .argument('<id>', 'the production', id)
  .action((production: string, options: VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/resume.js')).resume(production)),
  );

verb('cancel', 'cancel a production: pay for nothing new, collect what is paid for, and print what it came to')
  .argument('<id>', 'the production', id)
  .option('--no-wait', 'do not wait until it has ended')
  .addOption(json())
  .action((production: string, options: CancelOptions & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/cancel.js')).cancel(production, options)),
  );

verb('assemble', 'put a film together of what there is; costs nothing')
  .argument('<id>', 'the production', id)
  .option('--out <folder>', 'where the film goes; default out/<id>')
  .addOption(json())
  .action((production: string, options: AssembleOptions & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/assemble.js')).assemble(production, options)),
  );

verb('fork', 'make a new production that reuses the paid takes of another one')
  .argument('<id>', 'the production', id)
  .argument('<new-id>', 'name of the new one', id)
  .option('--from <shot>', 'reuse only what comes before this shot in the film', id)
  .addOption(json())
  .action((production: string, newId: string, options: ForkOptions & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/fork.js')).fork(production, newId, options)),
  );

verb('prune', 'show what no production stands on, and free it after a yes; the ledger stays')
  .option('--yes', 'say yes beforehand')
  .option('--dry-run', 'only show it')
  .addOption(json())
  .action((options: PruneOptions & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/prune.js')).prune(options)),
  );

verb('resolve', 'say how a parked shot goes on')
  .argument('<id>', 'the production', id)
  .argument('<shot>', 'the shot', id)
  .option('--adopt <task-id>', 'the gateway did accept it, as this task')
  .option('--resubmit', 'pay for it (again)')
  .option('--skip', 'leave the shot out')
  .option('--use <file>', 'use this file instead, of the kind that the shot makes')
  .option('--wait', 'wait for the task once more as long')
  .option('--take <number>', 'which of its takes, where several are parked', positive)
  .action((production: string, shot: string, options: ResolveOptions & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/resolve.js')).resolve(production, shot, options)),
  );

verb('budget', 'show what a production may cost and has cost, or give it another budget')
  .argument('<id>', 'the production', id)
  .option('--credits <number>', 'most that the gateway may charge it, over all renders', amount)
  .addOption(json())
  .action((production: string, options: BudgetOptions & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/budget.js')).budget(production, options)),
  );

verb('takes', 'list the takes of a production: what each was asked for, what it cost, which one stands')
  .argument('<id>', 'the production', id)
  .argument('[shot]', 'one shot; default all', id)
  .addOption(json())
  .action((production: string, shot: string | undefined, options: VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/takes.js')).takes(production, shot, options)),
  );

outcome(verb('choose', 'have another take stand for a shot; asks where that makes anything stale that costs'))
  .argument('<id>', 'the production', id)
  .argument('<shot>', 'the shot', id)
  .argument('<take>', 'number of the take', positive)
  .action((production: string, shot: string, take: string, options: CarryOutOptions & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/choose.js')).choose(production, shot, Number(take), options)),
  );

retaking(verb('retake', 'make another take of a shot, after saying what that makes stale and what it costs')).action(
  (production: string, shot: string, options: RetakeOptions & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/retake.js')).retake(production, shot, options)),
);

verb('approve', 'approve a take of a shot in review')
  .argument('<id>', 'the production', id)
  .argument('<shot>', 'the shot', id)
  .option('--take <number>', 'which of its takes; default the one that is chosen', positive)
  .action((production: string, shot: string, options: { readonly take?: number } & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/approve.js')).approve(production, shot, options)),
  );

retaking(verb('reject', 'reject the takes of a shot in review, and make another one')).action(
  (production: string, shot: string, options: RetakeOptions & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/reject.js')).reject(production, shot, options)),
);

outcome(verb('edit', 'have a running production follow a new version of its file'))
  .argument('<id>', 'the production', id)
  .argument('<file>', 'the production, YAML or JSON')
  .action((production: string, file: string, options: CarryOutOptions & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/edit.js')).edit(production, file, options)),
  );

verb('ledger', 'print the books: what was sent, accepted and charged')
  .argument('[id]', 'one production; default all', id)
  .addOption(json())
  .option('--backup <file>', 'write the ledger to one file instead')
  .addOption(new Option('--restore <file>', 'bring the ledger back from such a file').conflicts('backup'))
  .option('--nothing-sent-since-backup', 'your word for it, after a restore: then nothing is held back')
  .action((production: string | undefined, options: LedgerOptions & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/ledger.js')).ledger(production, options)),
  );

verb('audit', 'hold ledger, store and histories of a production against each other; mends and spends nothing')
  .argument('<id>', 'the production', id)
  .addOption(json())
  .action((production: string, options: VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/audit.js')).audit(production, options)),
  );

verb('validate', 'check a production file; nothing is sent or stored')
  .argument('<file>', 'the production, YAML or JSON')
  .addOption(json())
  .action((file: string, options: VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/validate.js')).validate(file, options)),
  );

verb('models', 'show the models that are known, or the parameters of one')
  .argument('[id]', 'id, title or workflow name of a model')
  .addOption(json())
  .action((model: string | undefined, options: VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/models.js')).models(model, options)),
  );

verb('generate', 'run one task of any model')
  .option('--model <id>', 'the model: its id, title or workflow name')
  .option('--workflow <name>', "call the model at its workflow's own addresses")
  .option('--prompt <text>', 'what to make')
  .option('--set <name=value>', 'a parameter; may come again', collect)
  .option('--file <name=path>', 'a parameter that is a file, by path or address; may come again', collect)
  .option('--schema <file>', "JSON Schema of the model's parameters, which are then checked")
  .addOption(new Option('--output <kind>', 'what the model makes').choices(['video', 'image', 'audio', 'text']))
  .option('--execute', 'wait for the answer in one call; for models that need well under 20 s')
  .option('--id <id>', 'name of the task; default made of the flags, so that the same flags cost nothing again', id)
  .option('--out <folder>', 'where the result goes; default out/<id>')
  .addOption(json())
  .action((options: GenerateOptions & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/generate.js')).generate(options)),
  );

verb('up', 'hold up Temporal, the sandbox and a worker until Ctrl-C').action((options: VerbOutput) =>
  runVerb(options, async () => (await import('./verbs/up.js')).up()),
);

verb('worker', 'run a worker in the foreground').action((options: VerbOutput) =>
  runVerb(options, async () => (await import('./verbs/worker.js')).worker()),
);

verb('deploy', "make this build's workers the current ones of their deployment").action((options: VerbOutput) =>
  runVerb(options, async () => (await import('./verbs/deploy.js')).deploy()),
);

verb('sandbox', 'run a stand-in gateway that renders real clips and costs nothing')
  .option('--port <number>', 'port to listen on; 0 for any', integer, SANDBOX_PORT)
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--folder <folder>', 'where its tasks and clips stay; default in the store')
  .option('--key <key>', 'the only key it accepts; default a new one')
  .option('--render-seconds <seconds>', 'least time that a task takes; default as quick as rendering is', amount)
  .option('--last-frame-place <place>', 'where the last frame stands in a result')
  .option('--honour-idempotency-key', 'answer a repeated Idempotency-Key with the first task')
  .option('--contrast-drift <factor>', 'multiply contrast in every clip that starts on a frame, as 1.06', amount)
  .option('--failed-share <share>', 'share of the tasks that end FAILED', share)
  .option('--throttled-share <share>', 'share of the requests answered 429', share)
  .option('--error-share <share>', 'share of the requests answered 500', share)
  .option('--slow-answer-ms <ms>', 'delay of slow answers', amount)
  .option('--slow-answer-share <share>', 'share of the answers that are slow', share)
  .option('--fault <name=share>', 'share of the cases in which a fault strikes; may come again', collect)
  .option('--seed <number>', 'the same seed draws the same faults', integer)
  .action((options: SandboxFlags & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/sandbox.js')).sandbox(options)),
  );

verb('doctor', 'look at everything that a render needs; spends nothing without --spend')
  .option('--spend', 'run one paid task, the cheapest there is, and tell how the gateway does what is not specified')
  .option('--yes', 'say yes to that task beforehand')
  .option('--start-frame <address>', 'picture that the task starts on, to be sent by its address')
  .option('--id <id>', 'name of the task; the same again costs nothing; default doctor', id)
  .addOption(json())
  .action((options: DoctorOptions & VerbOutput) =>
    runVerb(options, async () => (await import('./verbs/doctor.js')).doctor(options)),
  );

outliveReaders();
void program.parseAsync();

function verb(name: string, description: string): Command {
  return program.command(name).description(description).option('--verbose', 'show where an error happened');
}

/** What a verb takes that changes a production and has it rendered. */
function outcome(command: Command): Command {
  return command
    .option('--yes', 'say yes beforehand')
    .option('--no-wait', 'end as soon as it is under way')
    .option('--out <folder>', 'where the film and all that belongs to it goes; default out/<id>')
    .option('--quiet', 'show no progress')
    .addOption(json());
}

function retaking(command: Command): Command {
  return outcome(command)
    .argument('<id>', 'the production', id)
    .argument('<shot>', 'the shot', id)
    .option('--prompt <text>', 'another prompt')
    .option('--set <name=value>', 'another parameter; null takes it away; may come again', collect)
    .option('--model <id>', 'another model: its id, title or workflow name');
}

function json(): Option {
  return new Option('--json', 'print one JSON object on stdout');
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function id(value: string): string {
  if (ID_PATTERN.test(value)) return value;
  throw new InvalidArgumentError('An id is letters, digits, dots, dashes and underscores, at most 64 of them.');
}

function integer(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number.');
}

function positive(value: string): number {
  if (integer(value) > 0) return Number(value);
  throw new InvalidArgumentError('It must be 1 or more.');
}

function amount(value: string): number {
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a number, 0 or more.');
}

function share(value: string): number {
  if (amount(value) <= 1) return Number(value);
  throw new InvalidArgumentError('It must be between 0 and 1.');
}
