import { counted } from '../../contracts/counted';
import { type Quote } from '../../contracts/money/quote';

/** The message for a take whose output was pruned. The quote is for a new take with the same request. */
export function prunedInWords({ credits }: Pick<Quote, 'credits'>): string {
  const price = credits === null ? 'is of unknown price' : `costs ${counted(credits.high, 'credit')}`;
  return `its output was pruned; it is collected anew at no cost if the gateway still has it; otherwise, a new take ${price}`;
}
