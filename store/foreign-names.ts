/** Names in the store that are none of Dailies', in the order in which this process met them. */
const met = new Map<string, string>();

/** Past this many the rest goes without a word: somebody keeps other things in the folder. */
const TOLD_AT_MOST = 20;

/** A record that is being written, or was cut short by a crash. */
const PART = /\.part$/;

/** What network storage, file managers and file systems put into folders. */
export function tellOfForeign(folder: string, name: string): void {
  if (PART.test(name) || met.has(name) || met.size >= TOLD_AT_MOST) return;
  met.set(name, folder);
  process.emitWarning(`the store has "${name}" in ${folder}, which is not of Dailies; such names are skipped`, {
    code: 'DAILIES_FOREIGN_NAME',
  });
}

/** The foreign names that this process has met, each with the first folder that it was met in. */
export function foreignNames(): ReadonlyMap<string, string> {
  return met;
}
