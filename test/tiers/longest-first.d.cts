/** Files that are started first, from the project's root. */
export const LONGEST: readonly string[];

export function longestFirst<T extends { readonly path: string }>(tests: readonly T[]): T[];
