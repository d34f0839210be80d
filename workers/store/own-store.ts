import { type FolderStore, openStore, storeIdOf } from '../../store';
import { type Config } from '../config/config';
import { ConfigError } from '../config/config-error';

type StoreConfig = Pick<Config, 'storeFolder' | 'storeId' | 'temporalAddress'>;

/**
 * Opens the configured store. Creates a missing store only if TEMPORAL_ADDRESS is not set or DAILIES_STORE_ID is set.
 * Otherwise another machine may have the store, and with an empty one Dailies would pay for everything again.
 *
 * @throws ConfigError, StoreError
 */
export async function openOwnStore(config: StoreConfig): Promise<FolderStore> {
  const { storeFolder: folder, storeId } = config;
  await checkOwnStore(config);
  return openStore(folder, storeId);
}

/**
 * Makes the checks of `openOwnStore` without creating a store.
 *
 * @returns the id of the store; undefined if the store is missing and may be created.
 * @throws ConfigError, StoreError
 */
export async function checkOwnStore({
  storeFolder: folder,
  storeId,
  temporalAddress,
}: StoreConfig): Promise<string | undefined> {
  const id = await storeIdOf(folder);
  if (id === undefined) {
    if (storeId !== undefined || temporalAddress === undefined) return undefined;
    throw new ConfigError(
      `there is no store in ${folder}, but another machine that uses Temporal at ${temporalAddress} may have one; ` +
        'with an empty store, everything is paid for again. Check DAILIES_STORE and whether its disk is mounted. ' +
        'To create a new store, type: dailies store --create; or set DAILIES_STORE_ID to the id that it is to have',
    );
  }
  if (storeId === undefined || storeId === id) return id;
  throw new ConfigError(
    `the store in ${folder} has the id ${id}, and DAILIES_STORE_ID is ${storeId}: these are two ledgers. ` +
      'Set DAILIES_STORE to the right folder, or DAILIES_STORE_ID to the right id',
  );
}
