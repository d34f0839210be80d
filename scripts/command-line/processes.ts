import type { Command } from 'commander';
import { runVerb, type VerbOutput } from '../process/run-verb';
import type { DoctorOptions } from '../verbs/doctor';
import type { SandboxFlags } from '../verbs/sandbox';
import type { StudioFlags } from '../verbs/studio';
import type { UpFlags } from '../verbs/up';
import { amount, collect, id, integer, positive, share } from './arguments';
import { json, verb } from './verb';

/** Fixed, so that the address in DAILIES_GATEWAY_URL remains valid after a restart of the sandbox. */
const SANDBOX_PORT = 4010;

/** Verbs that run or deploy the processes of Dailies, or check their requirements. */
export function addProcessVerbs(program: Command): void {
  verb(program, 'up', 'run Temporal, a worker and, without a configured gateway, the sandbox until Ctrl-C')
    .option('--ui', "also serve Temporal's UI, for browsers on this machine")
    .action((options: UpFlags & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/up.js')).up(options)),
    );

  verb(program, 'studio', 'show films in the browser while they are made, and direct them there, until Ctrl-C')
    .option('--port <number>', 'port to listen on; default: a free one', integer)
    .option('--host <address>', 'address to listen on; an address that other machines can reach needs --token-file')
    .option(
      '--token-file <file>',
      "file with the token of the studio's address; other users must not be able to read the file",
    )
    .option('--no-open', 'do not open a browser')
    .action((options: StudioFlags & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/studio.js')).studio(options)),
    );

  verb(program, 'worker', 'run a worker in the foreground').action((options: VerbOutput) =>
    runVerb(options, async () => (await import('../verbs/worker.js')).worker()),
  );

  verb(program, 'deploy', 'make this build the current version of its worker deployment').action(
    (options: VerbOutput) => runVerb(options, async () => (await import('../verbs/deploy.js')).deploy()),
  );

  verb(program, 'sandbox', 'run a local gateway for tests; it renders real clips and costs nothing')
    .option('--port <number>', 'port to listen on; 0 for a free one', integer, SANDBOX_PORT)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--folder <folder>', 'folder for its tasks and clips; default: in the store')
    .option('--key <key>', 'the only key that it accepts; default: a new one')
    .option(
      '--key-file <file>',
      'file with the only key that the sandbox accepts; other users must not be able to read it',
    )
    .option('--render-seconds <seconds>', 'minimum duration of a task; default: no minimum', amount)
    .option(
      '--last-frame-place <place>',
      "place of the last frame's address in a result: items, none, or a path of fields such as lastFrame.url",
    )
    .option('--honour-idempotency-key', 'answer a repeated Idempotency-Key with the first task')
    .option(
      '--contrast-drift <factor>',
      'multiply the contrast of every clip that starts on a frame, e.g. by 1.06',
      amount,
    )
    .option(
      '--max-unfinished <number>',
      'maximum number of unfinished tasks; further submits are answered with 429',
      positive,
    )
    .option('--failed-share <share>', 'share of the tasks that end as FAILED, 0 to 1', share)
    .option('--throttled-share <share>', 'share of the requests that are answered with 429', share)
    .option('--error-share <share>', 'share of the requests that are answered with 500', share)
    .option('--slow-answer-ms <ms>', 'delay of slow answers', amount)
    .option('--slow-answer-share <share>', 'share of the answers that are slow', share)
    .option('--fault <name=share>', 'make a fault happen in this share of its cases, 0 to 1; can be repeated', collect)
    .option('--seed <number>', 'seed of the faults; the same seed gives the same faults', integer)
    .action((options: SandboxFlags & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/sandbox.js')).sandbox(options)),
    );

  verb(program, 'doctor', 'check everything that a render needs; spends nothing without --spend')
    .option('--spend', 'run one cheap paid task, and show how the gateway handles what its specification leaves open')
    .option('--yes', 'do not ask before the paid task is sent')
    .option('--start-frame <address>', 'address of a picture that the task starts on')
    .option(
      '--id <id>',
      'name of the task; another run with this name pays again only if the task failed or was resubmitted; default: doctor',
      id,
    )
    .addOption(json())
    .action((options: DoctorOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/doctor.js')).doctor(options)),
    );
}
