import { escapeControls } from '../contracts/terminal-text';

/** Foreign names in the store, in the order in which this process met them. */
const met = new Map<string, string>();

/** Limits the warnings, in case the folder is also used for something else. */
const TOLD_AT_MOST = 20;

/** A record that is being written, or that a crash cut short. */
const PART = /\.part$/;

/**
 * Warns once about a name that Dailies did not make. Network storage, file managers and file systems make such names.
 */
export function tellOfForeign(folder: string, name: string): void {
  if (PART.test(name) || met.has(name) || met.size >= TOLD_AT_MOST) return;
  met.set(name, folder);
  process.emitWarning(
    `the store has "${escapeControls(name)}" in ${folder}, which Dailies did not make; such names are skipped`,
    {
      code: 'DAILIES_FOREIGN_NAME',
    },
  );
}

/** The foreign names that this process has met, each with the first folder it was met in. */
export function foreignNames(): ReadonlyMap<string, string> {
  return met;
}
