import { exactCredits } from './credits';

/**
 * What a task may be charged whose own kind has no price yet, by the prices of the same model at other resolutions and
 * lengths. Estimates go upwards: a budget reserves by them. Workflows reckon by it too.
 */

/** What tasks have in common that are priced alike. */
export interface TaskKind {
  /** Id of the model. */
  readonly model: string;
  /** In lower case; null where the task has none. */
  readonly resolution: string | null;
  readonly unit: 'second' | 'task';
}

/** The highest price known of a kind, in credits a unit. */
export interface KnownRate {
  readonly kind: TaskKind;
  readonly credits: number;
}

/** An estimate for a whole task. */
export interface PriceEstimate {
  readonly credits: number;
  /** The price that it rests on. */
  readonly from: Pick<TaskKind, 'resolution' | 'unit'> & {
    /** Credits a unit. */
    readonly credits: number;
  };
}

/** Bounds of a clip's length if the model chooses it: the shortest and the longest clip of the known models. */
const SHORTEST_SECONDS = 4;
const LONGEST_SECONDS = 30;

/**
 * Estimates the price of so many units of a kind.
 *
 * A price at the same or a higher resolution bounds it, and the lowest of those counts. Where there is none, a lower
 * resolution's price grows with the number of pixels, and the highest result counts.
 *
 * @returns undefined where no price of the model can be compared.
 */
export function estimatePrice(kind: TaskKind, units: number, known: readonly KnownRate[]): PriceEstimate | undefined {
  // A free task, as of a trial, says nothing of what the next one costs.
  const compared = known.filter(({ credits }) => credits > 0).flatMap((rate) => compare(kind, rate) ?? []);
  const bounds = compared.filter(({ growth }) => growth <= 1);
  const best =
    bounds.length > 0
      ? bounds.reduce((least, one) => (one.rate < least.rate ? one : least))
      : compared.reduce<Compared | undefined>((most, one) => (most && most.rate >= one.rate ? most : one), undefined);
  if (best === undefined) return undefined;
  const { resolution, unit } = best.by.kind;
  return { credits: exactCredits(best.rate * units), from: { resolution, unit, credits: best.by.credits } };
}

/** The higher one of two estimates. */
export function higherEstimate(a: PriceEstimate | undefined, b: PriceEstimate | undefined): PriceEstimate | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.credits > a.credits ? b : a;
}

/** `8 credits a second at 720p`. */
export function basisInWords({ from: { resolution, unit, credits } }: PriceEstimate): string {
  return `${credits} credits a ${unit}${resolution === null ? '' : ` at ${resolution}`}`;
}

interface Compared {
  readonly by: KnownRate;
  /** Pixels against those of the known kind. */
  readonly growth: number;
  /** Credits a unit of the wanted kind. */
  readonly rate: number;
}

function compare(wanted: TaskKind, by: KnownRate): Compared | undefined {
  if (by.kind.model !== wanted.model) return undefined;
  const growth = pixelGrowth(by.kind.resolution, wanted.resolution);
  if (growth === undefined) return undefined;
  const rate = by.credits * unitGrowth(by.kind.unit, wanted.unit) * Math.max(1, growth);
  return { by, growth, rate: exactCredits(rate) };
}

/** Undefined where nobody knows which of the two is larger. */
function pixelGrowth(from: string | null, to: string | null): number | undefined {
  if (from === to) return 1;
  const [before, after] = [shortSide(from), shortSide(to)];
  return before === undefined || after === undefined ? undefined : (after / before) ** 2;
}

/** In pixels, of `720p`, `4k` and `1280x720`. */
function shortSide(resolution: string | null): number | undefined {
  const [, lines, thousands, width, height] = /^(?:(\d+)p|(\d+)k|(\d+)[x*](\d+))$/.exec(resolution ?? '') ?? [];
  if (lines !== undefined) return positive(Number(lines));
  if (thousands !== undefined) return positive((Number(thousands) * 1080) / 2);
  return positive(Math.min(Number(width), Number(height)));
}

function positive(pixels: number): number | undefined {
  return pixels > 0 ? pixels : undefined;
}

/** A task whose length the model chooses may be the longest; one that taught a price may have been the shortest. */
function unitGrowth(from: TaskKind['unit'], to: TaskKind['unit']): number {
  if (from === to) return 1;
  return to === 'task' ? LONGEST_SECONDS : 1 / SHORTEST_SECONDS;
}
