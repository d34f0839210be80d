import { escapeControls } from '../../contracts/terminal-text';

/** The foreign names of which this process has warned, each with the first folder that had it. */
const warnedOf = new Map<string, string>();

/** Limit per process: a folder that other programs use too may have thousands of such names. */
const MOST_WARNINGS = 20;

/** The part file of a record that is being written, or whose writer crashed. */
const PART = /\.part$/;

/** Warns once of a name that Dailies did not make, such as `.DS_Store` or `lost+found`. */
export function warnOfForeignName(folder: string, name: string): void {
  if (PART.test(name) || warnedOf.has(name) || warnedOf.size >= MOST_WARNINGS) return;
  warnedOf.set(name, folder);
  process.emitWarning(
    `Dailies did not make "${escapeControls(name)}" in the folder ${folder} of the store, and skips it`,
    {
      code: 'DAILIES_FOREIGN_NAME',
    },
  );
}

/** The names of which `warnOfForeignName` has warned, each with its folder; at most `MOST_WARNINGS`. */
export function foreignNames(): ReadonlyMap<string, string> {
  return warnedOf;
}
