import { counted } from '../counted';
import { exactCredits } from './credits';

/**
 * Estimates the price of a task whose kind has no known price, from the same model's prices at other resolutions or per
 * other units.
 *
 * Budgets reserve the estimated price, so in doubt the estimate is too high. Workflows use this module too.
 */

/** What determines a task's price. */
export interface TaskKind {
  readonly model: string;
  /** In lower case; null if the task has none. */
  readonly resolution: string | null;
  readonly unit: 'second' | 'task';
}

/** The highest known price of a kind, in credits per unit. */
export interface KnownRate {
  readonly kind: TaskKind;
  readonly credits: number;
}

export interface PriceEstimate {
  readonly credits: number;
  /** The known price that the estimate is based on. */
  readonly from: Pick<TaskKind, 'resolution' | 'unit'> & {
    /** Credits per unit. */
    readonly credits: number;
  };
}

/** Assumed bounds of a clip's length if the model chooses it: the known models' shortest and longest clips. */
const SHORTEST_SECONDS = 4;
const LONGEST_SECONDS = 30;

/**
 * Estimates the price of a number of units of a kind.
 *
 * Known prices are converted to the kind's unit. The lowest price at the same or a higher resolution is the estimate.
 * If there is none, prices at lower resolutions are scaled by the number of pixels, and the highest result is the
 * estimate.
 *
 * @returns undefined if no price of the model can be compared.
 */
export function estimatePrice(kind: TaskKind, units: number, known: readonly KnownRate[]): PriceEstimate | undefined {
  // A free task, for example of a trial, does not predict the next price.
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

export function higherEstimate(a: PriceEstimate | undefined, b: PriceEstimate | undefined): PriceEstimate | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.credits > a.credits ? b : a;
}

/** Words for the known price that an estimate is based on, for example `8 credits a second at 720p`. */
export function basisInWords({ from: { resolution, unit, credits } }: PriceEstimate): string {
  return `${counted(credits, 'credit')} a ${unit}${resolution === null ? '' : ` at ${resolution}`}`;
}

interface Compared {
  readonly by: KnownRate;
  /** The wanted kind's number of pixels, divided by the known kind's. */
  readonly growth: number;
  /** Credits per unit of the wanted kind. */
  readonly rate: number;
}

function compare(wanted: TaskKind, by: KnownRate): Compared | undefined {
  if (by.kind.model !== wanted.model) return undefined;
  const growth = pixelGrowth(by.kind.resolution, wanted.resolution);
  if (growth === undefined) return undefined;
  const rate = by.credits * unitGrowth(by.kind.unit, wanted.unit) * Math.max(1, growth);
  return { by, growth, rate: exactCredits(rate) };
}

/** Returns the pixels of `to` divided by those of `from`; undefined if the resolutions differ and one is unknown. */
function pixelGrowth(from: string | null, to: string | null): number | undefined {
  if (from === to) return 1;
  const [before, after] = [shortSide(from), shortSide(to)];
  return before === undefined || after === undefined ? undefined : (after / before) ** 2;
}

/** Returns the shorter side in pixels, for example of `720p`, `4k` or `1280x720`; undefined if unknown. */
function shortSide(resolution: string | null): number | undefined {
  const [, lines, thousands, width, height] = /^(?:(\d+)p|(\d+)k|(\d+)[x*](\d+))$/.exec(resolution ?? '') ?? [];
  if (lines !== undefined) return positive(Number(lines));
  if (thousands !== undefined) return positive((Number(thousands) * 1080) / 2);
  return positive(Math.min(Number(width), Number(height)));
}

function positive(pixels: number): number | undefined {
  return pixels > 0 ? pixels : undefined;
}

/**
 * Returns the factor that converts a price per `from` into a price per `to`. A wanted task of unknown length may be the
 * longest clip; a known task of unknown length may have been the shortest clip.
 */
function unitGrowth(from: TaskKind['unit'], to: TaskKind['unit']): number {
  if (from === to) return 1;
  return to === 'task' ? LONGEST_SECONDS : 1 / SHORTEST_SECONDS;
}
