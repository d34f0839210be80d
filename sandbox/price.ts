import type { ShortSide, Work } from './tasks/work';

/** Price of a model in credits: per second by resolution, or per task. */
export type Price = { readonly perSecond: Readonly<Record<ShortSide, number>> } | { readonly perTask: number };

export function creditsFor(price: Price, work: Work): number {
  if ('perTask' in price) return price.perTask;
  return work.kind === 'video' ? price.perSecond[work.shortSide] * work.durationSeconds : 0;
}

export function priceInWords(price: Price): string {
  if ('perTask' in price) return `${price.perTask} credits a task`;
  const perSecond = Object.entries(price.perSecond).map(([shortSide, credits]) => `${credits} at ${shortSide}p`);
  return `Credits a second: ${perSecond.join(', ')}`;
}
