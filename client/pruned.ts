import { type Quote } from '../contracts/quote';

/** What a person is told who wants a take whose bytes were freed. @param quote of a new take that asks for the same. */
export function prunedInWords({ credits }: Pick<Quote, 'credits'>): string {
  const price = credits === null ? 'is of unknown price' : `costs ${credits.high} credits`;
  return `its clip was pruned; it is collected anew at no cost while the gateway has it, and a new take ${price}`;
}
