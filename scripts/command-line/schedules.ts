import { type Command, Option } from 'commander';
import { runVerb, type VerbOutput } from '../run-verb';
import type { BackfillOptions } from '../verbs/schedule/backfill';
import type { CreateOptions } from '../verbs/schedule/create';
import type { NoteOptions } from '../verbs/schedule/pause';
import type { TriggerOptions } from '../verbs/schedule/trigger';
import { json, verb } from './verb';

/** Productions and batches at times that a calendar names. */
export function addScheduleVerbs(program: Command): void {
  const schedule = program
    .command('schedule')
    .description('render a production or batch at times that a calendar names');

  timing(verb(schedule, 'create', 'make a schedule of a production or batch file, which is frozen into the store'))
    .argument('<name>', 'the schedule; its runs are called after it')
    .argument('<file>', 'the production (YAML, JSON) or batch (CSV, JSONL, YAML)')
    .action((name: string, file: string, options: CreateOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/schedule/create.js')).create(name, file, options)),
    );

  timing(verb(schedule, 'update', 'give a schedule another file, other times or other rules; the rest stays'))
    .argument('<name>', 'the schedule')
    .argument('[file]', 'the production or batch as it is now; default what was frozen')
    .action((name: string, file: string | undefined, options: CreateOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/schedule/update.js')).update(name, file, options)),
    );

  verb(schedule, 'list', 'list the schedules')
    .addOption(json())
    .action((options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/schedule/list.js')).list(options)),
    );

  named(schedule, 'show', 'show a schedule: its next times, its last runs, what was skipped and missed').action(
    (name: string, options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/schedule/show.js')).show(name, options)),
  );

  named(schedule, 'pause', 'begin nothing until it is resumed, of a backfill neither; what is under way goes on')
    .option('--note <text>', 'why; shown by show')
    .action((name: string, options: NoteOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/schedule/pause.js')).pause(name, options)),
    );

  named(schedule, 'resume', 'let a paused schedule go on, from its next time')
    .option('--note <text>', 'shown by show')
    .action((name: string, options: NoteOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/schedule/resume.js')).resume(name, options)),
    );

  named(schedule, 'trigger', 'begin a run by hand, which is one of its own')
    .option(
      '--again <run>',
      'render that run once more instead, of what was frozen for it; what failed is paid for anew',
    )
    .action((name: string, options: TriggerOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/schedule/trigger.js')).trigger(name, options)),
    );

  named(schedule, 'backfill', 'begin the runs of times that have passed; one that has run is not paid for again')
    .requiredOption('--from <instant>', 'as 2026-11-22T02:00:00Z; counts itself')
    .requiredOption('--to <instant>', 'counts itself')
    .option('--overlap <rule>', 'what becomes of a time while another run is under way', 'buffer-all')
    .action((name: string, options: BackfillOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/schedule/backfill.js')).backfill(name, options)),
    );

  named(schedule, 'delete', 'end a schedule; its runs stay, and their times never run again').action(
    (name: string, options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/schedule/delete.js')).deleteSchedule(name, options)),
  );
}

function named(schedule: Command, name: string, description: string): Command {
  return verb(schedule, name, description).argument('<name>', 'the schedule').addOption(json());
}

function timing(command: Command): Command {
  return command
    .option('--cron <expression>', 'minute, hour, day of month, month, day of week, as "0 2 * * 1-5"')
    .option('--every <duration>', 'instead of --cron: as 6h, counted from midnight UTC')
    .option('--timezone <zone>', 'of the times, and of dates in texts, as Europe/Berlin; default UTC')
    .option(
      '--overlap <rule>',
      'a time comes while a run is under way: skip (default), buffer-one, buffer-all, cancel-other or allow-all',
    )
    .option(
      '--catch-up <duration>',
      'how long after its time a missed run may begin; default one period, which default brings back',
    )
    .option('--jitter <duration>', 'begin up to so much later, each time anew; default none')
    .addOption(new Option('--pause-on-failure', 'pause when a run ends incomplete; the default'))
    .addOption(new Option('--no-pause-on-failure', 'go on after such a run'))
    .option('--out <folder>', 'where runs are put out, each in a folder of its own; default out/<name>')
    .option('--note <text>', 'a remark; shown by show')
    .addOption(json());
}
