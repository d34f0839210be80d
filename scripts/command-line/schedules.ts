import { type Command, Option } from 'commander';
import { runVerb, type VerbOutput } from '../process/run-verb';
import type { BackfillOptions } from '../verbs/schedule/backfill';
import type { CreateOptions } from '../verbs/schedule/create';
import type { NoteOptions } from '../verbs/schedule/pause';
import type { TriggerOptions } from '../verbs/schedule/trigger';
import { json, verb } from './verb';

export function addScheduleVerbs(program: Command): void {
  const schedule = program.command('schedule').description('render a production or batch at fixed times');

  timing(verb(schedule, 'create', 'create a schedule of a production or batch file; the file is frozen in the store'))
    .argument('<name>', 'the schedule; its runs are named after it')
    .argument('<file>', 'the production (YAML, JSON) or batch (CSV, JSONL, YAML)')
    .action((name: string, file: string, options: CreateOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/schedule/create.js')).create(name, file, options)),
    );

  timing(verb(schedule, 'update', 'change the file, times or rules of a schedule; the rest stays'))
    .argument('<name>', 'the schedule')
    .argument('[file]', 'the production or batch; default: the frozen one')
    .action((name: string, file: string | undefined, options: CreateOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/schedule/update.js')).update(name, file, options)),
    );

  verb(schedule, 'list', 'list the schedules')
    .addOption(json())
    .action((options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/schedule/list.js')).list(options)),
    );

  named(schedule, 'show', 'show a schedule: next times, last runs, skipped and missed times').action(
    (name: string, options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/schedule/show.js')).show(name, options)),
  );

  named(schedule, 'pause', 'start no scheduled or backfilled runs until it is resumed; current runs continue')
    .option('--note <text>', 'the reason; shown by `schedule show`')
    .action((name: string, options: NoteOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/schedule/pause.js')).pause(name, options)),
    );

  named(schedule, 'resume', 'resume a paused schedule, from its next time')
    .option('--note <text>', 'a remark; shown by `schedule show`')
    .action((name: string, options: NoteOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/schedule/resume.js')).resume(name, options)),
    );

  named(schedule, 'trigger', 'start a run now')
    .option(
      '--again <run>',
      'render this run again instead, from the files that were frozen for it; failed tasks are paid for again',
    )
    .action((name: string, options: TriggerOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/schedule/trigger.js')).trigger(name, options)),
    );

  named(schedule, 'backfill', 'start the runs of past times; a time that has run is not paid for again')
    .requiredOption('--from <instant>', 'first time, inclusive, e.g. 2026-11-22T02:00:00Z')
    .requiredOption('--to <instant>', 'last time, inclusive')
    .option('--overlap <rule>', 'what happens to a time while another run is in progress', 'buffer-all')
    .action((name: string, options: BackfillOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/schedule/backfill.js')).backfill(name, options)),
    );

  named(
    schedule,
    'delete',
    'delete a schedule; its runs stay, and a new schedule of this name does not repeat them',
  ).action((name: string, options: VerbOutput) =>
    runVerb(options, async () => (await import('../verbs/schedule/delete.js')).deleteSchedule(name, options)),
  );
}

function named(schedule: Command, name: string, description: string): Command {
  return verb(schedule, name, description).argument('<name>', 'the schedule').addOption(json());
}

function timing(command: Command): Command {
  return command
    .option('--cron <expression>', 'minute, hour, day of month, month, day of week, e.g. "0 2 * * 1-5"')
    .option('--every <duration>', 'instead of --cron: an interval, e.g. 6h, counted from 1970-01-01 00:00 UTC')
    .option('--timezone <zone>', 'time zone of the times and of dates in texts, e.g. Europe/Berlin; default: UTC')
    .option(
      '--overlap <rule>',
      'if a time comes while a run is in progress: skip (default), buffer-one, buffer-all, cancel-other or allow-all',
    )
    .option(
      '--catch-up <duration>',
      'how late a missed run may start; default: one period; the value "default" restores it',
    )
    .option('--jitter <duration>', 'start each run up to this much later, at random; default: none')
    .addOption(new Option('--pause-on-failure', 'pause the schedule after an incomplete run (default)'))
    .addOption(new Option('--no-pause-on-failure', 'continue after an incomplete run'))
    .option('--out <folder>', 'folder for the runs, each in a folder of its own; default: out/<name>')
    .option('--note <text>', 'a remark; shown by `schedule show`')
    .addOption(json());
}
