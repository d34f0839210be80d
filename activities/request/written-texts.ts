import { type LinkedFrame } from '../../contracts/activities';
import { wholeLink } from '../../contracts/file/frame-links';
import { type FrozenShot, type TextSource } from '../../contracts/render/frozen';
import { readText, type Store } from '../../store';
import { failure } from '../fail';
import { checkThere } from '../stored-json';
import { linkedFrame } from './task-parameters';

/** Maximum length of a text for a parameter without a known limit: several times the longest known prompt. */
const MOST_CHARACTERS = 20_000;

/**
 * Fills in the texts that other shots wrote for this shot, trimmed.
 *
 * @throws TextNotSendable, AssetMissing (final).
 */
export async function withWrittenTexts(
  store: Store,
  { texts = {}, ...shot }: FrozenShot,
  links: readonly LinkedFrame[],
): Promise<FrozenShot> {
  const parameters = { ...shot.parameters };
  for (const [parameter, source] of Object.entries(texts)) {
    parameters[parameter] = await writtenText(store, source, links, parameter);
  }
  return { ...shot, parameters };
}

async function writtenText(
  store: Store,
  { shot, maxCharacters = MOST_CHARACTERS }: TextSource,
  links: readonly LinkedFrame[],
  parameter: string,
): Promise<string> {
  const { asset } = linkedFrame(links, wholeLink(shot));
  await checkThere(store, asset, `the text of ${shot}`);
  const text = (await readText(store.assets, asset)).trim();
  if (text === '') throw failure('TextNotSendable', `${shot} has written no text for ${parameter}`);
  if (text.length <= maxCharacters) return text;
  throw failure(
    'TextNotSendable',
    `${shot} has written ${text.length} characters for ${parameter}, which takes at most ${maxCharacters}`,
  );
}
