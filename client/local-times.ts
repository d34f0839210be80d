/** Instants as records and workflows write them. Not a part of a name: no letter, digit, dash or slash stands beside it. */
const INSTANT = /(?<![\w/.-])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z(?![\w/-])/g;

/** A command or a value that is to be typed as it stands. */
const QUOTED = /(`[^`]*`|"[^"]*")/;

/**
 * A text for a person, with its UTC instants in local time, with the zone, in whole seconds: `2026-03-01 08:00:00 CET`.
 *
 * Reasons are written by workflows, which know no zone, and kept for readers elsewhere. So it is done where a text is
 * shown. What stands in backticks or quotes stays as it is.
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
  // Swedes write dates as records do.
  const time = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', ...zone }).format(instant);
  const named = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short', ...zone }).formatToParts(instant);
  return `${time} ${named.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC'}`;
}
