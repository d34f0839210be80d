import { viewStore } from '../store';
import { type Config, ConfigError } from './config';

/** Of the folders that were looked in, the nearest are named. */
const SHOWN_FOLDERS = 3;

/**
 * Says that a ledger with nothing in it would be spent on, and what that means; undefined if the ledger has takes, or if
 * the sandbox serves, which costs nothing.
 *
 * Source: docs/decisions/0033-finding-the-store.md.
 */
export async function newLedgerInWords({
  gateway,
  storePlace,
}: Pick<Config, 'gateway' | 'storePlace'>): Promise<string | undefined> {
  if (gateway === null) return undefined;
  const { records } = await viewStore(storePlace.folder);
  if ((await records.list('ledger')).length > 0) return undefined;
  const { folder, from, searched } = storePlace;
  const looked =
    from === 'setting'
      ? 'DAILIES_STORE names it'
      : `no other was found in ${searched.slice(0, SHOWN_FOLDERS).join(', ')}${searched.length > SHOWN_FOLDERS ? ' and the folders above' : ''}`;
  return (
    `The ledger in ${folder} is new: ${looked}. ` +
    'It knows nothing of what was rendered with another store, and that would be paid for again.'
  );
}

/**
 * Refuses to spend on a new ledger that nobody has asked for: for workers and programs, which have no terminal to ask on.
 *
 * @throws ConfigError
 */
export async function refuseUnnamedNewLedger(config: Pick<Config, 'gateway' | 'storePlace'>): Promise<void> {
  if (config.storePlace.from === 'setting') return;
  const words = await newLedgerInWords(config);
  if (words !== undefined) throw new ConfigError(`${words} ${nameTheStore(config)}`);
}

/** What makes a new ledger meant. */
export function nameTheStore({ storePlace: { folder } }: Pick<Config, 'storePlace'>): string {
  return `If it is meant, say so: DAILIES_STORE=${folder}. Otherwise name the right one by DAILIES_STORE`;
}
