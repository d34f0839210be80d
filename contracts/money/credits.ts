/**
 * Rounds credits to 12 significant digits, which removes floating-point noise such as 0.30000000000000004.
 *
 * Runs in workflows too.
 */
export function exactCredits(credits: number): number {
  return Number(credits.toPrecision(12));
}
