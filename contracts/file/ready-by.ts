/**
 * The time by which a production or batch is to be ready, as written in its file. If `timeZone` is null, the
 * schedule's time zone applies; without a schedule, that of the machine that begins the render.
 */
export type ReadyByRule =
  | { readonly kind: 'time'; readonly time: string; readonly timeZone: string | null }
  | { readonly kind: 'instant'; readonly instant: string };

/** A production's progress towards its `readyBy`. Times are ISO 8601. */
export interface ReadyByStatus {
  readonly at: string;
  /** The time from which its shots are urgent in the account's queue; null if unknown, or if no shot is open. */
  readonly urgentFrom: string | null;
  /**
   * When the next shot switches to the fallback, estimated from the usual durations of tasks. Null if no shot will, or
   * if the durations are unknown.
   */
  readonly lastMoment: string | null;
  readonly fallback: readonly { readonly shot: string; readonly at: string }[];
  /** Why the production may be late, or was late; null if there is no reason. */
  readonly warning: string | null;
}

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;
const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Parses the text in a file: `HH:MM`, optionally followed by a time zone, or an ISO 8601 date and time with `Z` or an
 * offset. Undefined for any other text, an unknown time zone, or a date that does not exist.
 */
export function readyByRule(text: string): ReadyByRule | undefined {
  const [time = '', timeZone, ...rest] = text.trim().split(/\s+/);
  if (TIME.test(time) && rest.length === 0) {
    if (timeZone !== undefined && !isTimeZone(timeZone)) return undefined;
    return { kind: 'time', time, timeZone: timeZone ?? null };
  }
  const [, date] = INSTANT.exec(text.trim()) ?? [];
  const at = date === undefined ? NaN : Date.parse(text.trim());
  if (date === undefined || Number.isNaN(at) || !isDate(date)) return undefined;
  return { kind: 'instant', instant: new Date(at).toISOString() };
}

/**
 * Returns the instant of a rule, ISO 8601. For a time of day, this is the next occurrence after `from.ms`.
 *
 * If clocks skip the time of day on that date, the instant is later by the skipped period. If the time occurs twice
 * on a day, the first occurrence applies.
 *
 * @param from.timeZone IANA name, used if the rule has no zone.
 */
export function readyInstant(rule: ReadyByRule, from: { readonly ms: number; readonly timeZone: string }): string {
  if (rule.kind === 'instant') return rule.instant;
  const timeZone = rule.timeZone ?? from.timeZone;
  const [hours = 0, minutes = 0] = rule.time.split(':').map(Number);
  const today = new Date(localMs(from.ms, timeZone));
  for (let days = 0; ; days += 1) {
    const [year, month, day] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + days];
    const ms = instantMs(Date.UTC(year, month, day, hours, minutes), timeZone);
    if (ms > from.ms) return new Date(ms).toISOString();
  }
}

const DAY_MS = 24 * 60 * 60_000;

/** Returns the instant of a local time, which is given as if it were UTC. */
function instantMs(wallMs: number, timeZone: string): number {
  const before = wallMs - offsetMs(wallMs - DAY_MS, timeZone);
  const after = wallMs - offsetMs(wallMs + DAY_MS, timeZone);
  const [first] = [before, after].filter((ms) => localMs(ms, timeZone) === wallMs).toSorted((a, b) => a - b);
  return first ?? before;
}

function offsetMs(ms: number, timeZone: string): number {
  return localMs(ms, timeZone) - Math.floor(ms / 1_000) * 1_000;
}

/** Returns the local time of an instant as if it were UTC, in milliseconds, without fractions of a second. */
function localMs(ms: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  }).formatToParts(ms);
  const part = (wanted: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find(({ type }) => type === wanted)?.value ?? 0);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Whether a date (YYYY-MM-DD) exists. `Date.parse` alone would accept 30 February as a day in March. */
export function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
