export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The quantile by linear interpolation between the two nearest values; NaN for no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const [low = NaN, high = low] = sorted.slice(Math.floor(place), Math.floor(place) + 2);
  return low + (high - low) * (place - Math.floor(place));
}
