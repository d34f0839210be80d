/** Credits without the noise of reckoning with decimals, as 0.30000000000000004. Workflows reckon by it too. */
export function exactCredits(credits: number): number {
  return Number(credits.toPrecision(12));
}
