/** A name may have one typing error for every three letters. A name of two letters may also have one. */
const LETTERS_PER_SLIP = 3;

/**
 * The candidate that was most likely meant; undefined if none is near.
 *
 * Ignores case, spaces, dashes and underscores: `aspect_ratio` finds `aspectRatio`. A name of three letters or more
 * finds a candidate that begins with it.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(name);
  let best: { readonly candidate: string; readonly slips: number } | undefined;
  for (const candidate of candidates) {
    const plainCandidate = plain(candidate);
    const isBeginning = wanted.length >= LETTERS_PER_SLIP && plainCandidate.startsWith(wanted);
    // Skip candidates that are much shorter: they are never near, and a long name takes long to compare.
    const isFarLonger = wanted.length > 2 * plainCandidate.length + LETTERS_PER_SLIP;
    if (isFarLonger) continue;
    const slips = isBeginning
      ? Math.min(1, plainCandidate.length - wanted.length)
      : editDistance(wanted, plainCandidate);
    if (slips < (best?.slips ?? Infinity)) best = { candidate, slips };
  }
  return best !== undefined &&
    best.slips <= Math.max(1, Math.floor(wanted.length / LETTERS_PER_SLIP)) &&
    best.slips < wanted.length
    ? best.candidate
    : undefined;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, '');
}

/**
 * Edit distance (optimal string alignment): the number of letters to insert, remove, replace or swap with their
 * neighbour. The algorithm is too small for a dependency.
 */
function editDistance(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length] ?? 0;
}
