import { escapeControls } from '../../contracts/terminal-text';

/** The foreign names that this process has warned of, in order, each with its folder. */
const warnedOf = new Map<string, string>();

/** Limits the warnings for a folder that is also used for something else. */
const MOST_WARNINGS = 20;

/** The part file of a record that is being written, or whose writer crashed. */
const PART = /\.part$/;

/**
 * Warns once of a name that Dailies did not make. Network storage, file managers and file systems make such names.
 */
export function warnOfForeignName(folder: string, name: string): void {
  if (PART.test(name) || warnedOf.has(name) || warnedOf.size >= MOST_WARNINGS) return;
  warnedOf.set(name, folder);
  process.emitWarning(
    `the store has "${escapeControls(name)}" in ${folder}, which Dailies did not make; such names are skipped`,
    {
      code: 'DAILIES_FOREIGN_NAME',
    },
  );
}

/** The foreign names that this process has found, each with the first folder that has it; at most MOST_WARNINGS. */
export function foreignNames(): ReadonlyMap<string, string> {
  return warnedOf;
}
