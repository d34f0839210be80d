import { type PriceTable } from '../contracts/price-table';
import { SANDBOX_MODELS } from './sandbox-models';

/** What the sandbox charges, as a table of prices: its account knows them before anything was charged. */
export const SANDBOX_PRICES: PriceTable = Object.fromEntries(
  SANDBOX_MODELS.map(({ id, price }) => [
    id,
    'perTask' in price ? price : { perSecond: byResolution(price.perSecond) },
  ]),
);

function byResolution(perSecond: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(perSecond).map(([shortSide, credits]) => [`${shortSide}p`, credits]));
}
