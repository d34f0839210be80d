import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderAssets } from '../../store/folder-assets';
import { createFolderRecords } from '../../store/records';
import { memoryDrivers, newMemory } from '../support/memory-drivers';
import { temporaryFolder } from '../support/temporary-folder';
import { storeContract } from './contract';

storeContract('a folder', async () => {
  const folder = await temporaryFolder();
  const open = () => ({ records: createFolderRecords(folder), assets: new FolderAssets(folder), scratch: folder });
  return {
    open: () => Promise.resolve(open()),
    spoil: (key) => truncate(join(folder, `${key}.json`), 1),
  };
});

// Shows that the contract can be kept without a file system.
storeContract('memory', async () => {
  const [memory, scratch] = [newMemory(), await temporaryFolder()];
  return {
    open: () => Promise.resolve(memoryDrivers(memory, scratch)),
    spoil: (key) => Promise.resolve(void memory.records.set(key, '{')),
  };
});
