/**
 * An instant in the form that records and workflows write. The look-arounds exclude an instant within a name or path. A
 * dot may follow, because an instant can end a sentence.
 */
const INSTANT = /(?<![\w/.-])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z(?![\w/-])/g;

/** A command in backticks, or a value in quotes. */
const QUOTED = /(`[^`]*`|"[^"]*")/;

/**
 * Replaces UTC instants in a text with local time and zone, in whole seconds: `2026-03-01 08:00:00 CET`. Text in
 * backticks or quotes stays as it is.
 *
 * Workflows write reasons in UTC, because they know no time zone. Call this function only for text that people read;
 * records and `--json` keep UTC.
 *
 * @param timeZone default: this machine's.
 */
export function withLocalTimes(text: string, timeZone?: string): string {
  return text
    .split(QUOTED)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(INSTANT, (at) => localTime(at, timeZone))))
    .join('');
}

function localTime(at: string, timeZone: string | undefined): string {
  const instant = new Date(at);
  if (Number.isNaN(instant.getTime())) return at;
  const zone = timeZone === undefined ? {} : { timeZone };
  // The Swedish locale formats dates as YYYY-MM-DD.
  const time = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', ...zone }).format(instant);
  const named = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short', ...zone }).formatToParts(instant);
  return `${time} ${named.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC'}`;
}
