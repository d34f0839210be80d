import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type OutputKind } from '../../contracts/gateway/models';
import { probe } from '../../media';
import { type AssetDescription, type Store } from '../../store';
import { Refused } from '../wording/refused';
import { absolute } from '../wording/working-folder';

/**
 * Stores a person's own file as an asset for a take.
 *
 * @param name the file's name in messages. Default: its path.
 * @throws Refused if the file is not of the wanted kind or cannot be read.
 */
export async function putOwnOutput(
  file: string,
  wanted: OutputKind,
  store: Pick<Store, 'assets'>,
  name = file,
): ReturnType<Store['assets']['putFile']> {
  const path = absolute(file);
  if (!existsSync(path)) throw new Refused(`${name} cannot be used: there is no such file`);
  const description = await (wanted === 'text' ? describeText(path) : describeOwn(path, name, wanted)).catch(
    (error: unknown) => {
      if (error instanceof Refused) throw error;
      throw new Refused(`${name} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
    },
  );
  return store.assets.putFile(path, () => Promise.resolve(description));
}

async function describeOwn(path: string, name: string, wanted: OutputKind): Promise<AssetDescription> {
  const { kind, mediaType, durationSeconds, width, height } = await probe(path);
  if (kind !== wanted) throw new Refused(`${name} is ${mediaType}; the shot needs ${ONE_OF[wanted]}`);
  return { mediaType, durationSeconds, width, height };
}

async function describeText(path: string): Promise<AssetDescription> {
  new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  return { mediaType: 'text/plain', durationSeconds: null, width: null, height: null };
}

const ONE_OF: Readonly<Record<OutputKind, string>> = {
  video: 'a video',
  image: 'an image',
  audio: 'a sound',
  text: 'a text',
};
