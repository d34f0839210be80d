/**
 * Rounds credits to 12 significant digits, which removes floating-point noise such as 0.30000000000000004.
 *
 * Runs in workflows too.
 */
export function exactCredits(credits: number): number {
  return Number(credits.toPrecision(12));
}

/** A charge that any version recorded; null if it is unknown or below 0, which would increase the remaining budget. */
export function recordedCharge(credits: number | null): number | null {
  return credits !== null && credits < 0 ? null : credits;
}
