import { counted } from '../../contracts/counted';
import { findUnused, type Freed, pruneStore, type Unused } from '../../client/prune';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { confirm } from '../process/confirm';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { table } from '../../client/wording/table';
import { inMegabytes } from '../../client/wording/phrases';
import { print, printJson, tell } from '../process/streams';

export interface PruneOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Lists unused takes and films. Deletes their files after a confirmation, or with `yes`. Workers may run meanwhile. */
export async function prune({ yes, dryRun, json }: PruneOptions): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  const unused = await findUnused(store, config.account);
  const isAsked = dryRun !== true && unused.sizeBytes > 0 && yes !== true;
  if (json !== true) print(unusedInWords(unused));
  else if (isAsked) tell(unusedInWords(unused));
  const isWanted = isAsked ? await confirm(question(unused)) : dryRun !== true && unused.sizeBytes > 0;
  const freed = isWanted ? await pruneStore(store, config.account, unused) : null;
  if (json === true) printJson({ unused: forJson(unused), freed });
  else if (freed !== null) print(freedInWords(freed));
  return EXIT.completed;
}

/** The effect of deleting a take's clip on a later choice of the take. */
const WANTED_AGAIN =
  'A freed take can still be chosen while the gateway keeps its clip, which is downloaded again at no cost. ' +
  'After that, the take is lost. A clip of your own that you gave for a shot is lost at once.';

function question({ sizeBytes }: Unused): string {
  return `Free ${inMegabytes(sizeBytes)}? The clips are deleted; the ledger keeps the charges.`;
}

function unusedInWords({ productions, films, sizeBytes }: Unused): readonly string[] {
  if (sizeBytes === 0) return ['Nothing is unused: no take and no film of the store can be freed.'];
  const rows = productions.map(({ production, takes, sizeBytes: size }): [string, string] => [
    production,
    `${inMegabytes(size)}: ${takes.map(({ shot, take }) => `${shot} (take ${take})`).join(', ')}`,
  ]);
  const filmsSize = films.reduce((sum, film) => sum + film.sizeBytes, 0);
  if (films.length > 0)
    rows.push(['films', `${inMegabytes(filmsSize)}: ${films.length}, which can be assembled again at no cost`]);
  const lines = [`Unused: ${inMegabytes(sizeBytes)}`, ...table(rows)];
  return productions.length === 0 ? lines : [...lines, WANTED_AGAIN];
}

function freedInWords({ takes, films, sizeBytes, isWhole }: Freed): string {
  if (!isWhole) tell('The time limit was reached before everything was freed; run `dailies prune` again.');
  return `Freed ${inMegabytes(sizeBytes)}: the clips of ${counted(takes, 'take')}, ${counted(films, 'film')}.`;
}

function forJson({ productions, films, sizeBytes }: Unused): object {
  return {
    productions: productions.map((one) => ({
      ...one,
      takes: one.takes.map(({ shot, take, sizeBytes: size }) => ({ shot, take, sizeBytes: size })),
    })),
    films: films.map(({ sha256, sizeBytes: size }) => ({ sha256, sizeBytes: size })),
    sizeBytes,
  };
}
