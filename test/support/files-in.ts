import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** All files in a folder and its subfolders, with their texts. */
export function filesIn(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'utf8')]));
}
