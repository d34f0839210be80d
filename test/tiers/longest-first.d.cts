/** Files that are started first, from the project's root. */
export const LONGEST: readonly string[];
