import { type ProductionFile } from '../../contracts/production';
import { checkGiven, type CheckedProduction, type CheckPolicy, loadProduction } from '../production-file';
import { absolute } from '../wording/working-folder';
import { InvalidInput } from './invalid-input';

/** A production as in its file. It is checked by the same schema. */
export type ProductionObject = Partial<Omit<ProductionFile, 'shots'>> & {
  readonly shots: readonly Readonly<Record<string, unknown>>[];
};

/** A production: the path of its file, or its content. */
export type Given = string | ProductionObject;

export interface GivenOptions {
  /** The folder for relative paths in an object. Default: the working folder. */
  readonly baseDir?: string | undefined;
}

/** Checks a production. @returns also its file; null if it is an object. @throws InvalidInput */
export async function givenProduction(
  given: Given,
  policy: CheckPolicy,
  { id, baseDir = '.' }: GivenOptions & { readonly id?: string | undefined },
): Promise<{ readonly checked: CheckedProduction; readonly file: string | null }> {
  if (typeof given === 'string') {
    const loaded = await loadProduction(given, policy);
    if (!loaded.ok) throw new InvalidInput(loaded.issues);
    return { checked: loaded.production, file: given };
  }
  const loaded = await checkGiven(given, { folder: absolute(baseDir), fallbackId: id ?? '' }, policy);
  if (!loaded.ok) throw new InvalidInput(loaded.issues);
  return { checked: loaded.production, file: null };
}
