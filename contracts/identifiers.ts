/**
 * Every id and name that Dailies builds, in one place. No other module puts one together.
 *
 * Production and shot ids become file names and workflow ids, so both keep to one safe alphabet.
 */

/** Letters, digits, dot, dash and underscore, starting with a letter or digit; at most 64 characters. */
export const ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Turns a file's base name or a title into a valid id; empty where nothing is left. */
export function toId(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, 64);
}

/** Whose work it is: the account that pays and the store that remembers. Part of queue names and workflow ids. */
export interface Tenancy {
  /** Short hash of the gateway account. */
  readonly account: string;
  readonly storeId: string;
}

export function productionWorkflowId(storeId: string, productionId: string): string {
  return `production/${storeId}/${productionId}`;
}

export function shotWorkflowId(storeId: string, productionId: string, shotId: string): string {
  return `shot/${storeId}/${productionId}/${shotId}`;
}

export function generateWorkflowId(storeId: string, generationId: string): string {
  return `generate/${storeId}/${generationId}`;
}

/** @param film names the film, so that the same one is put together once at a time. */
export function assembleWorkflowId(storeId: string, film: string): string {
  return `assemble/${storeId}/${film}`;
}

/** The production under which a single task from `dailies generate` is kept in the ledger. */
export const GENERATIONS = 'generations';
