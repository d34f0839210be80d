import { type ProductionFile } from '../../contracts/file/production';
import {
  checkFileText,
  checkGiven,
  type CheckedProduction,
  type CheckPolicy,
  loadProduction,
} from '../production-file';
import { absolute } from '../wording/working-folder';
import { InvalidInput } from './invalid-input';

/** A production as an object, with the keys of a production file. The same rules apply. */
export type ProductionObject = Partial<Omit<ProductionFile, 'shots'>> & {
  readonly shots: readonly Readonly<Record<string, unknown>>[];
};

/** The unsaved text of a production file. This text is checked and rendered, not the saved file. */
export interface ProductionText {
  /** Path of the file, which need not exist. */
  readonly file: string;
  readonly text: string;
}

/** A production: the path of its file, the unsaved text of its file, or an object. */
export type Given = string | ProductionText | ProductionObject;

export interface GivenOptions {
  /** The folder for relative paths in an object. Default: the working folder. */
  readonly baseDir?: string | undefined;
}

/** Checks a production. @returns it, and the path of its file (null for an object). @throws InvalidInput */
export async function givenProduction(
  given: Given,
  policy: CheckPolicy,
  { id, baseDir = '.' }: GivenOptions & { readonly id?: string | undefined },
): Promise<{ readonly checked: CheckedProduction; readonly file: string | null }> {
  if (typeof given === 'string' || isText(given)) {
    const file = typeof given === 'string' ? given : given.file;
    const loaded = await (typeof given === 'string'
      ? loadProduction(file, policy)
      : checkFileText(given.text, file, policy));
    if (!loaded.ok) throw new InvalidInput(loaded.issues);
    return { checked: loaded.production, file };
  }
  const loaded = await checkGiven(given, { folder: absolute(baseDir), fallbackId: id ?? '' }, policy);
  if (!loaded.ok) throw new InvalidInput(loaded.issues);
  return { checked: loaded.production, file: null };
}

function isText(given: ProductionText | ProductionObject): given is ProductionText {
  return !('shots' in given) && 'file' in given && 'text' in given;
}
