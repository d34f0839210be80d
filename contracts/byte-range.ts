export interface ByteRange {
  readonly start: number;
  /** Inclusive, as in the header. */
  readonly end: number;
}

/**
 * Returns the range that a Range header requests; undefined for the whole file, `unsatisfiable` if the file has no such
 * range. A header with several ranges, another unit or an end before the start is ignored, as the RFC allows or
 * requires.
 *
 * Source: RFC 9110, section 14.
 */
export function byteRangeOf(
  header: string | null | undefined,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [matched, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (matched === undefined || (first === '' && last === '')) return undefined;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  const start = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  return start > end ? 'unsatisfiable' : { start, end };
}
