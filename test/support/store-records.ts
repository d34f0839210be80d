import { type FolderStore } from '../../store';
import { createStoreParts } from '../../store/parts';
import { createFolderRecords, type Records } from '../../store/records';

/** The records of a store, for what no part writes or tells. */
export function recordsOf({ folder }: Pick<FolderStore, 'folder'>): Records {
  return createFolderRecords(folder);
}

/** The same store with some operations on its records replaced. */
export function withRecords<S extends FolderStore>(store: S, changed: Partial<Records>): S {
  const records = { ...recordsOf(store), ...changed };
  return { ...store, ...createStoreParts({ records, assets: store.assets, scratch: store.folder }) };
}
