import { shellWord } from '../../contracts/terminal-text';
import { viewStore } from '../../store';
import { type Config } from '../config/config';
import { ConfigError } from '../config/config-error';

/** Maximum number of searched folders that the message names, nearest first. */
const SHOWN_FOLDERS = 3;

/**
 * A warning that the ledger is new, so takes of other stores would be paid for again. Undefined if the ledger has
 * takes, or if no gateway is configured: the sandbox is used then, at no cost.
 *
 * @throws the errors of `viewStore`.
 * Source: docs/decisions/0033-finding-the-store.md.
 */
export async function newLedgerInWords({
  gateway,
  storePlace,
}: Pick<Config, 'gateway' | 'storePlace'>): Promise<string | undefined> {
  if (gateway === null) return undefined;
  const { ledger } = await viewStore(storePlace.folder);
  if ((await ledger.productions()).length > 0) return undefined;
  const { folder, from, searched } = storePlace;
  const looked =
    from === 'setting'
      ? 'DAILIES_STORE names this folder'
      : `no other was found in ${searched.slice(0, SHOWN_FOLDERS).join(', ')}${searched.length > SHOWN_FOLDERS ? ` or ${searched.length - SHOWN_FOLDERS} more of the searched folders` : ''}`;
  return (
    `The ledger in ${folder} is new: ${looked}. ` +
    'It does not have the takes of any other store, and those would be paid for again.'
  );
}

/**
 * Refuses to spend money with a new ledger that DAILIES_STORE does not name. For workers and programs, which cannot ask
 * a person.
 *
 * @throws ConfigError; the errors of `viewStore`.
 */
export async function refuseUnnamedNewLedger(config: Pick<Config, 'gateway' | 'storePlace'>): Promise<void> {
  if (config.storePlace.from === 'setting') return;
  const words = await newLedgerInWords(config);
  if (words !== undefined) throw new ConfigError(`${words} ${nameTheStore(config)}`);
}

/** Says which setting confirms a new ledger. */
export function nameTheStore({ storePlace: { folder } }: Pick<Config, 'storePlace'>): string {
  return `If the new ledger is intended, confirm it: DAILIES_STORE=${shellWord(folder)}. Otherwise set DAILIES_STORE to the right store`;
}
