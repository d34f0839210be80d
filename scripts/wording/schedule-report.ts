import { type RunView, type ScheduleView, timesInWords } from '../../client/schedules';
import { exportCommand } from '../../client/wording/commands';
import { table } from '../../client/wording/table';
import { hasWorker, NO_WORKER } from '../session/session';
import { type Session } from '../session/open-session';
import { print, printJson, tell } from '../process/streams';

const NEXT_SHOWN = 5;

/** Characters of a hash that are shown: enough to tell two files apart. */
const HASH_SHOWN = 12;

export function printSchedule(view: ScheduleView, json = false): void {
  if (json) printJson(view);
  else print(scheduleInWords(view));
}

/**
 * Tells what must run so that the schedule's runs begin: with the embedded set, `dailies up`; otherwise a worker, if
 * none runs. Without this message, a person would notice only a missed run.
 */
export async function tellWhenItFires(session: Session): Promise<void> {
  if (session.set !== null) tell(EMBEDDED);
  else if (!(await hasWorker(session))) tell(NO_WORKER);
}

/** Printed if Temporal does not run; read-only verbs do not start it. */
export const NOT_UP =
  'Temporal does not run, so the next times are not known here. With the embedded set a schedule fires only while ' +
  '`dailies up` runs.';

const PUT_OUT_BY_HAND = `by \`${exportCommand('RUN')}\``;

const EMBEDDED =
  'With the embedded set a schedule fires only while `dailies up` runs: keep it running, or use a Temporal server ' +
  'and workers of your own (TEMPORAL_ADDRESS).';

function scheduleInWords(view: ScheduleView): readonly string[] {
  const { schedule, state, note, timing, catchUpSeconds, file, nextTimes, counts, underWay, troubles, runs, out } =
    view;
  const rules = [
    `overlap ${timing.overlap}`,
    ...(catchUpSeconds === null ? [] : [`catch-up ${catchUpSeconds} s`]),
    ...(timing.jitter === null ? [] : [`jitter ${timing.jitter}`]),
    timing.pauseOnFailure ? 'pauses when a run ends incomplete' : 'goes on when a run ends incomplete',
  ];
  const rows: (readonly [string, string])[] = [
    ['times', timesInWords(view)],
    ['rules', rules.join('; ')],
    [
      'file',
      `${file.given ? 'none, a program gave an object' : file.path}  sha256:${file.sha256.slice(0, HASH_SHOWN)}, version ${file.version}, frozen ${file.frozenAt}`,
    ],
    ...file.files.map(({ name, sha256 }) => ['', `${name}  sha256:${sha256.slice(0, HASH_SHOWN)}`] as const),
    [
      'out',
      out === null ? PUT_OUT_BY_HAND : `${out}/TIME, when \`dailies up\` sees a run end; else ${PUT_OUT_BY_HAND}`,
    ],
    ...(nextTimes.length === 0 ? [] : [['next', nextTimes.slice(0, NEXT_SHOWN).join(', ')] as const]),
    ...(counts === null
      ? []
      : [['so far', `${counts.started} started, ${counts.skipped} skipped, ${missedInWords(counts)}`] as const]),
    ...(underWay.length === 0 ? [] : [['under way', underWay.join(', ')] as const]),
    ...troubles.map(({ production, reason }) => ['', `${production}: tries again: ${reason}`] as const),
  ];
  return [
    `${schedule}: ${state}${note === null || note === '' ? '' : ` (${note})`}`,
    ...table(rows),
    ...(runs.length === 0 ? [] : ['', ...table(runs.map((run) => [run.production, runInWords(run)]))]),
  ];
}

function missedInWords({ missed, dropped, waiting }: NonNullable<ScheduleView['counts']>): string {
  return [
    `${missed} missed`,
    ...(dropped === 0 ? [] : [`${dropped} dropped`]),
    ...(waiting === 0 ? [] : [`${waiting} waiting`]),
  ].join(', ');
}

function runInWords({ production, state, reason, number, out }: RunView): string {
  const hasEnded = state !== 'running' && state !== 'waiting' && state !== 'begun';
  const place = out ?? (hasEnded ? `as files: ${exportCommand(production)}` : null);
  return `no. ${number}  ${state}${reason === null ? '' : `  (${reason})`}${place === null ? '' : `  ${place}`}`;
}
