/** Variables that a schedule's run fills in. docs/schedules.md explains each. */
export const RUN_VARIABLES = [
  'date',
  'time',
  'year',
  'month',
  'day',
  'weekday',
  'scheduledAt',
  'runNumber',
  'schedule',
  'production',
] as const;
export type RunVariable = (typeof RUN_VARIABLES)[number];

export type RunValues = Readonly<Record<RunVariable, string>>;

/** The facts that a run's values depend on. */
export interface RunMoment {
  readonly schedule: string;
  readonly production: string;
  /** ISO 8601. */
  readonly scheduledAt: string;
  /** IANA name of the zone for date and time. */
  readonly timezone: string;
  readonly runNumber: number;
}

/** @throws RangeError if this machine does not know the time zone, or if `scheduledAt` is not a valid time. */
export function runValues({ schedule, production, scheduledAt, timezone, runNumber }: RunMoment): RunValues {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    weekday: 'long',
    hourCycle: 'h23',
  }).formatToParts(Date.parse(scheduledAt));
  const part = (wanted: Intl.DateTimeFormatPartTypes): string => parts.find(({ type }) => type === wanted)?.value ?? '';
  const [year, month, day] = [part('year'), part('month'), part('day')];
  return {
    date: `${year}-${month}-${day}`,
    time: `${part('hour')}:${part('minute')}`,
    year,
    month,
    day,
    weekday: part('weekday'),
    scheduledAt: new Date(scheduledAt).toISOString().replace(/\.\d+Z$/, 'Z'),
    runNumber: String(runNumber),
    schedule,
    production,
  };
}

/** Returns the longest possible values, to check in advance that filled texts do not get too long. */
export function longestValues(schedule: string, production: string): RunValues {
  return {
    ...runValues({ schedule, production, scheduledAt: '2026-09-30T22:22:22Z', timezone: 'UTC', runNumber: 9_999_999 }),
    // Wednesday has the longest name of a weekday.
    weekday: 'Wednesday',
  };
}
