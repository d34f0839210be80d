import { Refused } from '../../client/wording/refused';
import { openStore } from '../../store';
import { adoptCopy, copyInWords, storeStatus, type StoreStatus, takeOverMoved } from '../../store/backup/copies';
import { type Config } from '../../workers/config/config';
import { readHolder } from '../../workers/embedded/lock';
import { setFiles } from '../../workers/embedded/set-files';
import { checkOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { table } from '../../client/wording/table';
import { print, printJson, tell } from '../process/streams';

export interface StoreOptions {
  readonly create?: boolean;
  readonly adoptCopy?: boolean;
  readonly moved?: boolean;
  readonly json?: boolean;
}

/** Shows the store in use and whether it is a copy. Can create a store, or take over a copy. */
export async function store({ create, adoptCopy: isAdopted, moved: isMoved, json }: StoreOptions): Promise<ExitCode> {
  const config = readConfig();
  const { storeFolder: folder, storeId, storePlace } = config;
  if (isAdopted === true || isMoved === true) {
    await takeOver(config, isMoved === true, json === true);
    return EXIT.completed;
  }
  if (create === true) {
    if (storePlace.exists) await checkOwnStore(config);
    else await openStore(folder, storeId);
  }
  const standing = await storeStatus(folder);
  if (json === true) printJson({ folder, ...standing });
  else print(table(rowsOf(folder, standing)));
  const words = (await copyInWords(folder)) ?? (await staleIfReachable(config));
  if (words !== undefined) tell(words);
  return EXIT.completed;
}

async function staleAtTemporal(config: Config): Promise<string | undefined> {
  if (config.temporalAddress === undefined) return undefined;
  return (await import('../session/ask-temporal.js')).staleAtTemporal(config);
}

/** A message if the ledger lacks the take that was sent last, or if Temporal cannot be asked; else undefined. */
async function staleIfReachable(config: Config): Promise<string | undefined> {
  return staleAtTemporal(config).catch((error: unknown) => {
    if (!(error instanceof Error)) throw error;
    return `Cannot tell whether the ledger has the latest take: ${error.message}`;
  });
}

async function takeOver(config: Config, isMoved: boolean, json: boolean): Promise<void> {
  const { storeFolder: folder } = config;
  // A lock that was copied with the store also looks held while the original runs on this machine.
  if ((await readHolder(setFiles(folder).lock)) !== undefined) {
    throw new Refused(`something runs on the store ${folder} or on the store that it was copied from; end it first`);
  }
  const isCopy = (await storeStatus(folder)).place === 'copy';
  const isStale = !isCopy && (await staleAtTemporal(config)) !== undefined;
  const { id, held, copiedAt } = await (isMoved ? takeOverMoved : adoptCopy)(folder, isStale);
  if (json) {
    printJson({ folder, id, held, copiedAt });
    return;
  }
  print(
    isMoved
      ? `The store ${id} lives in ${folder} from now on.`
      : `The store in ${folder} is a separate store from now on, with the id ${id}. It pays for what it renders.`,
  );
  if (held > 0)
    print(`Takes that may have been sent since the copy was made on ${copiedAt}: ${held}. They are unclear now.`);
  if (isMoved) print(NOTHING_IS_SENT);
}

const NOTHING_IS_SENT = [
  'What the original sent after the copy was made is not in this ledger. So nothing is sent for now: a shot parks if its',
  "take is not known to be accepted. Look at the gateway's own list of tasks before you decide about parked shots.",
  'If nothing was sent since then, type: dailies ledger --nothing-sent-since-backup',
];

const PLACES: Readonly<Record<StoreStatus['place'], string>> = {
  own: 'at its recorded place',
  copy: 'a copy: not at its recorded place',
  unmarked: 'not recorded yet',
  unchecked: 'not checked: file numbers (inodes) may change on this file system',
};

function rowsOf(folder: string, { id, place, marked }: StoreStatus): readonly (readonly [string, string])[] {
  return [
    ['folder', folder],
    ['id', id ?? 'none: no store is here yet'],
    ['place', PLACES[place]],
    ...(marked === null ? [] : [['marked', `${marked.at}, ${marked.folder} on ${marked.host}`] as const]),
  ];
}
