/** `median (lowest to highest)` in the unit given. */
export function summary(values: readonly number[], unit: string, digits = 0): string {
  const [middle, low, high] = [median(values), Math.min(...values), Math.max(...values)].map((n) => n.toFixed(digits));
  return `${middle} ${unit} (${low} to ${high}, n = ${values.length})`;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = NaN, high = NaN] = sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1);
  return (low + high) / 2;
}
