import { html, type Html } from '../../../client/contact-sheet/html';
import { type ScheduleView } from '../../../client/schedules';
import { shellWord } from '../../../contracts/terminal-text';
import { type Dailies, type ScheduleOptions } from '../../../client/programs';
import { Refused } from '../../../client/wording/refused';
import { type ActionRequest } from '../../server/page';

/** The input of a schedule's form. `error` is the reason for a refusal, or empty. */
export interface TypedSchedule {
  readonly name: string;
  readonly file: string;
  readonly cron: string;
  readonly every: string;
  readonly timezone: string;
  readonly overlap: string;
  readonly out: string;
  readonly error: string;
  /** The version that the person saw. Empty for a new schedule. */
  readonly version: string;
}

const OVERLAPS: readonly (readonly [string, string])[] = [
  ['skip', 'Skip the new run'],
  ['buffer-one', 'Begin one new run afterwards'],
  ['buffer-all', 'Begin all new runs afterwards'],
  ['cancel-other', 'Cancel the run under way'],
  ['allow-all', 'Begin the new run beside it'],
];

export function scheduleFields(typed: TypedSchedule | undefined, isNew: boolean): Html {
  const field = (name: keyof TypedSchedule, label: string, hint: string): Html =>
    html`<label
      >${label} <input name="${name}" value="${typed?.[name] ?? ''}" placeholder="${hint}" autocomplete="off"
    /></label>`;
  return html`${isNew ? field('name', 'Name', 'nightly') : null}
    ${field('file', isNew ? 'File of a production or batch' : 'Another file', 'film.yaml')}
    ${field('cron', 'Times (cron)', '0 2 * * 1-5')} ${field('every', 'or every', '6h')}
    ${field('timezone', 'Time zone', 'Europe/Berlin')}
    <label
      >If a run is still under way
      <select name="overlap">
        ${OVERLAPS.map(
          ([value, words]) =>
            html`<option value="${value}" ${typed?.overlap === value ? html`selected` : null}>${words}</option>`,
        )}
      </select></label
    >
    ${field('out', 'Folder for results', isNew ? 'out/NAME' : 'as before')}`;
}

export function typedIn({ field }: ActionRequest): TypedSchedule {
  const typed = (name: string): string => field(name).trim();
  return {
    ...{ name: typed('name'), file: typed('file'), cron: typed('cron'), every: typed('every') },
    ...{ timezone: typed('timezone'), overlap: typed('overlap'), out: typed('out'), error: '' },
    version: field('version'),
  };
}

/** The form's input for an existing schedule. `file` is empty: an update without a file keeps the schedule's file. */
export function typedOf({ schedule, timing, out, file }: ScheduleView): TypedSchedule {
  const { cron, every, timezone, overlap } = timing;
  return {
    ...{ name: schedule, file: '', cron: cron ?? '', every: every ?? '', timezone, overlap },
    ...{ out: out ?? '', error: '', version: String(file.version) },
  };
}

/**
 * Checks that a schedule has not changed since the page was shown. A changed schedule may render another file, or
 * render more often.
 *
 * @throws Refused if the schedule has changed.
 */
export async function checkVersion(
  { schedules: { show } }: Pick<Dailies, 'schedules'>,
  name: string,
  field: ActionRequest['field'],
): Promise<void> {
  if (String((await show(name)).file.version) === field('version')) return;
  throw new Refused(`"${name}" was changed since you opened its page. Nothing has happened. Load the page again.`);
}

export function optionsOf({ cron, every, timezone, overlap }: TypedSchedule): ScheduleOptions {
  return {
    ...(cron === '' ? {} : { cron }),
    ...(every === '' ? {} : { every }),
    ...(timezone === '' ? {} : { timezone }),
    ...(overlap === '' ? {} : { overlap }),
  };
}

export function commandOf(verb: 'create' | 'update', name: string, typed: TypedSchedule): string {
  const { file, ...options } = typed;
  const flags = (['cron', 'every', 'timezone', 'overlap', 'out'] as const).flatMap((flag) =>
    options[flag] === '' ? [] : [`--${flag} ${shellWord(options[flag])}`],
  );
  const words = [
    shellWord(name === '' ? 'NAME' : name),
    ...(file === '' && verb === 'update' ? [] : [file === '' ? 'FILE' : shellWord(file)]),
  ];
  return ['dailies schedule', verb, ...words, ...flags].join(' ');
}
