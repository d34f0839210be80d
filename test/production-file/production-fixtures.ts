import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CheckedProduction,
  type FileValuePolicy,
  formatIssues,
  loadProduction,
} from '../../client/production-file';
import { temporaryFolder } from '../support/temporary-folder';

export const policy: FileValuePolicy = { fileValues: 'auto', dataUriMaxBytes: 20_000_000 };

/** Writes a production file and the files beside it into a new folder. */
export async function fileWith(
  text: string,
  neighbours: Readonly<Record<string, string | Buffer>> = {},
  name = 'film.yaml',
): Promise<string> {
  const folder = await temporaryFolder();
  for (const [file, content] of Object.entries({ ...neighbours, [name]: text }))
    await writeFile(join(folder, file), content);
  return join(folder, name);
}

/** The production that a text describes; fails with the issues if there are any. */
export async function production(...file: Parameters<typeof fileWith>): Promise<CheckedProduction> {
  const result = await loadProduction(await fileWith(...file), policy);
  if (!result.ok) throw new Error(formatIssues(result.issues));
  return result.production;
}
