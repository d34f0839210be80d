import { readFile } from 'node:fs/promises';
import { readSourceText } from './source-text';

/**
 * The place of a shot's parameter in a production file, such as `film.yaml:12`; the shot's place if the shot does not
 * have the parameter. Undefined if the file cannot be read, or has no such shot.
 */
export async function placeOf(file: string, shotId: string, parameter: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const source = readSourceText(text);
  const value = source.value as { readonly shots?: unknown } | null | undefined;
  const shots: readonly unknown[] = Array.isArray(value?.shots) ? value.shots : [];
  const index = shots.findIndex((shot) => (shot as { readonly id?: unknown } | null)?.id === shotId);
  if (index === -1) return undefined;
  return `${file}:${source.positionOf({ path: ['shots', index, parameter], at: 'key' }).line}`;
}
