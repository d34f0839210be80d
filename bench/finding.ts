import { median } from './statistics';

/** One result of a measurement, in one or more quantities. */
export interface Finding {
  readonly title: string;
  readonly quantities: readonly Quantity[];
}

export interface Quantity {
  /** Text after the number, such as `ms of CPU a shot`. */
  readonly unit: string;
  /** One value per round, in order. */
  readonly values: readonly number[];
  /** Digits after the decimal point in texts for people. Default: 0. */
  readonly digits?: number;
}

/** Makes a finding of one quantity. */
export function found(title: string, unit: string, values: readonly number[], digits = 0): Finding {
  return { title, quantities: [{ unit, values, digits }] };
}

/** Medians, with ranges if there was more than one round: `743 ms (653 to 814); 1.20 of the ideal (1.18 to 1.21)`. */
export function quantitiesInWords({ quantities }: Finding): string {
  return quantities.map(quantityInWords).join('; ');
}

/** The largest number of rounds of any quantity. */
export function roundsOf({ quantities }: Finding): number {
  return Math.max(0, ...quantities.map(({ values }) => values.length));
}

export function quantityInWords({ unit, values, digits = 0 }: Quantity): string {
  const [middle, low, high] = [median(values), Math.min(...values), Math.max(...values)].map((n) => n.toFixed(digits));
  return values.length === 1 ? `${middle} ${unit}` : `${middle} ${unit} (${low} to ${high})`;
}
