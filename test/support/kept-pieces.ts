import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type FolderStore } from '../../store';

/** Paths of the complete pieces that a store keeps for films. */
export async function keptPieces({ folder }: Pick<FolderStore, 'folder'>): Promise<readonly string[]> {
  const entries = await readdir(join(folder, 'pieces'), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.part'))
    .map(({ parentPath, name }) => join(parentPath, name));
}
