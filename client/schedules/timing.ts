import { type FlagIssue, formatIssues } from '../production-file';
import { anyOf, didYouMean, shown } from '../wording/phrases';
import { Refused } from '../wording/refused';
import { durationMs } from './duration';
import { type Overlap, OVERLAPS } from '../../store';

/** A schedule's times and rules, as a person writes them. */
export interface Timing {
  /** Exactly one of `cron` and `every` is set. */
  readonly cron: string | null;
  readonly every: string | null;
  readonly timezone: string;
  readonly overlap: Overlap;
  /** Length of the catch-up window. Null: the shortest interval between times. */
  readonly catchUp: string | null;
  /** Null if times have no jitter. */
  readonly jitter: string | null;
  readonly pauseOnFailure: boolean;
}

/**
 * Options of a timing. An omitted option keeps its value, or has its default in a new schedule. `cron` and `every`
 * replace each other. Null restores a default, as do `catchUp: 'default'` and `jitter: 'none'`.
 */
export interface TimingOptions {
  readonly cron?: string;
  readonly every?: string;
  readonly timezone?: string;
  readonly overlap?: string;
  readonly catchUp?: string | null;
  readonly jitter?: string | null;
  readonly pauseOnFailure?: boolean;
}

/** Temporal raises a shorter catch-up window to this length. */
const SHORTEST_CATCH_UP = '10s';

const DEFAULTS: Timing = {
  cron: null,
  every: null,
  timezone: 'UTC',
  overlap: 'skip',
  catchUp: null,
  jitter: null,
  pauseOnFailure: true,
};

/**
 * Reads a schedule's options. Only the server can check the content of a cron expression.
 *
 * @param before the timing of an existing schedule, for omitted options.
 * @throws Refused with all errors.
 */
export function readTiming(options: TimingOptions, before: Timing = DEFAULTS): Timing {
  const { cron, every, overlap = before.overlap } = options;
  const timing = {
    ...before,
    ...(cron === undefined && every === undefined ? {} : { cron: cron?.trim() ?? null, every: every ?? null }),
    timezone: options.timezone ?? before.timezone,
    catchUp: written(options.catchUp, 'default', before.catchUp),
    jitter: written(options.jitter, 'none', before.jitter),
    pauseOnFailure: options.pauseOnFailure ?? before.pauseOnFailure,
  };
  const issues = [
    ...whenIssues(timing),
    ...timezoneIssues(timing.timezone),
    ...durationIssues('--catch-up', timing.catchUp, SHORTEST_CATCH_UP),
    ...durationIssues('--jitter', timing.jitter, '1s'),
    ...jitterIssues(timing),
  ];
  if (isOverlap(overlap) && issues.length === 0) return { ...timing, overlap };
  throw new Refused(formatIssues([...issues, ...(isOverlap(overlap) ? [] : [overlapIssue(overlap)])]));
}

/** The option's value. Undefined keeps `before`; null or `defaultWord` restores the default. */
function written(option: string | null | undefined, defaultWord: string, before: string | null): string | null {
  if (option === undefined) return before;
  return option?.trim() === defaultWord ? null : option;
}

/** The server's rejection, assigned to the option that it concerns. */
export function refusedByServer({ cron, timezone }: Timing, reason: string): Refused {
  const issue = /time zone/i.test(reason)
    ? { flag: '--timezone', message: timezoneInWords(timezone) }
    : {
        flag: '--cron',
        message: `${shown(cron ?? '')} is no cron expression (${reason}); write minute, hour, day of month, month and day of week, for example "0 2 * * 1-5"`,
      };
  return new Refused(formatIssues([issue]));
}

type Written = Omit<Timing, 'overlap'>;

function whenIssues({ cron, every }: Written): readonly FlagIssue[] {
  if (cron === null && every === null) {
    return [{ flag: '--cron', message: 'say when: --cron "0 2 * * 1-5", or --every 6h' }];
  }
  if (cron !== null && every !== null) {
    return [{ flag: '--every', message: 'cannot be combined with --cron; give one of them' }];
  }
  if (every !== null) return durationIssues('--every', every, '1s');
  if (/TZ=/.test(cron ?? '')) return [{ flag: '--cron', message: 'contains a time zone; give it with --timezone' }];
  if (/^@every\b/.test(cron ?? '')) return [{ flag: '--cron', message: 'contains @every; write it as --every 6h' }];
  return [];
}

function timezoneIssues(timezone: string): readonly FlagIssue[] {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions();
    // The server's names are case-sensitive, and the server accepts no offsets.
    const isOtherCase = timeZone !== timezone && timeZone.toLowerCase() === timezone.toLowerCase();
    if (!isOtherCase && !/^[+-]/.test(timezone)) return [];
  } catch {
    // `Intl` rejects a name that is no time zone.
  }
  return [{ flag: '--timezone', message: timezoneInWords(timezone) }];
}

function timezoneInWords(timezone: string): string {
  const near = didYouMean(timezone, Intl.supportedValuesOf('timeZone'));
  return `${shown(timezone)} is no time zone; write one such as Europe/Berlin or UTC.${near}`;
}

function durationIssues(flag: string, written: string | null, least: string): readonly FlagIssue[] {
  if (written === null) return [];
  const ms = durationMs(written);
  if (ms !== undefined && ms >= (durationMs(least) ?? 0)) return [];
  const why = ms === undefined ? 'is no duration' : 'is too short';
  return [{ flag, message: `${shown(written)} ${why}; write it as 30s, 15m, 6h, 1d or 1h30m, ${least} or more` }];
}

/** Refuses jitter of a period or more, because Temporal would cap it at the period. */
function jitterIssues({ every, jitter }: Written): readonly FlagIssue[] {
  const [period, spread] = [durationMs(every ?? ''), durationMs(jitter ?? '')];
  if (period === undefined || spread === undefined || spread < period) return [];
  return [{ flag: '--jitter', message: `${shown(jitter)} is not less than the period, ${every}; give less, or none` }];
}

function isOverlap(overlap: string): overlap is Overlap {
  return (OVERLAPS as readonly string[]).includes(overlap);
}

function overlapIssue(overlap: string): FlagIssue {
  const why =
    overlap === 'terminate-other' ? ' Termination would leave paid tasks uncollected; cancel-other collects them.' : '';
  const near = didYouMean(overlap, OVERLAPS);
  return {
    flag: '--overlap',
    message: `${shown(overlap)} is not an overlap policy; allowed are ${anyOf(OVERLAPS)}.${why || near}`,
  };
}
