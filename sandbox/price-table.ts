import { type PriceTable } from '../contracts/money/price-table';
import { SANDBOX_MODELS } from './sandbox-models';

/** The sandbox's prices as a price table, so that quotes are possible before the first charge. */
export const SANDBOX_PRICES: PriceTable = Object.fromEntries(
  SANDBOX_MODELS.map(({ id, price }) => [
    id,
    'perTask' in price ? price : { perSecond: byResolution(price.perSecond) },
  ]),
);

function byResolution(perSecond: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(perSecond).map(([shortSide, credits]) => [`${shortSide}p`, credits]));
}
