import type { Command } from 'commander';
import { runVerb, type VerbOutput } from '../run-verb';
import type { DoctorOptions } from '../verbs/doctor';
import type { SandboxFlags } from '../verbs/sandbox';
import type { UpFlags } from '../verbs/up';
import { amount, collect, id, integer, positive, share } from './arguments';
import { json, verb } from './verb';

/** A port that is the same each time, so that the variables to set stay the same. */
const SANDBOX_PORT = 4010;

/** The processes behind it all, and a look at what they need. */
export function addProcessVerbs(program: Command): void {
  verb(program, 'up', 'hold up Temporal, the sandbox and a worker until Ctrl-C')
    .option('--ui', "serve Temporal's UI too, for browsers on this machine")
    .action((options: UpFlags & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/up.js')).up(options)),
    );

  verb(program, 'worker', 'run a worker in the foreground').action((options: VerbOutput) =>
    runVerb(options, async () => (await import('../verbs/worker.js')).worker()),
  );

  verb(program, 'deploy', "make this build's workers the current ones of their deployment").action(
    (options: VerbOutput) => runVerb(options, async () => (await import('../verbs/deploy.js')).deploy()),
  );

  verb(program, 'sandbox', 'run a stand-in gateway that renders real clips and costs nothing')
    .option('--port <number>', 'port to listen on; 0 for any', integer, SANDBOX_PORT)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--folder <folder>', 'where its tasks and clips stay; default in the store')
    .option('--key <key>', 'the only key it accepts; default a new one')
    .option('--key-file <file>', 'file with that key, which nobody else may read')
    .option('--render-seconds <seconds>', 'least time that a task takes; default as quick as rendering is', amount)
    .option('--last-frame-place <place>', 'where the last frame stands in a result')
    .option('--honour-idempotency-key', 'answer a repeated Idempotency-Key with the first task')
    .option('--contrast-drift <factor>', 'multiply contrast in every clip that starts on a frame, as 1.06', amount)
    .option('--max-unfinished <number>', 'most unfinished tasks; a submit beyond that is answered 429', positive)
    .option('--failed-share <share>', 'share of the tasks that end FAILED', share)
    .option('--throttled-share <share>', 'share of the requests answered 429', share)
    .option('--error-share <share>', 'share of the requests answered 500', share)
    .option('--slow-answer-ms <ms>', 'delay of slow answers', amount)
    .option('--slow-answer-share <share>', 'share of the answers that are slow', share)
    .option('--fault <name=share>', 'share of the cases in which a fault strikes; may come again', collect)
    .option('--seed <number>', 'the same seed draws the same faults', integer)
    .action((options: SandboxFlags & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/sandbox.js')).sandbox(options)),
    );

  verb(program, 'doctor', 'look at everything that a render needs; spends nothing without --spend')
    .option('--spend', 'run one paid task, the cheapest there is, and tell how the gateway does what is not specified')
    .option('--yes', 'say yes to that task beforehand')
    .option('--start-frame <address>', 'picture that the task starts on, to be sent by its address')
    .option('--id <id>', 'name of the task; the same again costs nothing; default doctor', id)
    .addOption(json())
    .action((options: DoctorOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/doctor.js')).doctor(options)),
    );
}
