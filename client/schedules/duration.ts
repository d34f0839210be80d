const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;

/** Parses a duration such as `30s`, `6h` or `1h30m` to milliseconds; undefined for anything else. */
export function durationMs(written: string): number | undefined {
  const match = /^(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,8})s)?$/.exec(written.trim());
  if (match === null || written.trim() === '') return undefined;
  const [, d = '0', h = '0', m = '0', s = '0'] = match;
  return Number(d) * UNITS_MS.d + Number(h) * UNITS_MS.h + Number(m) * UNITS_MS.m + Number(s) * UNITS_MS.s;
}
