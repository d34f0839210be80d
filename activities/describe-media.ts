import { type OutputKind } from '../contracts/models';
import { NotMediaError, probe } from '../media';
import { type AssetDescription, type Describe } from '../store';
import { failure } from './fail';

/**
 * Looks into downloaded bytes before they become an asset: they must be of the kind that such a task leaves.
 *
 * @param isKnownKind whether that is known of the model, and not only said by a person, who may say it otherwise.
 */
export function describeMedia(expected: OutputKind, isKnownKind = false): Describe {
  return async (path) => {
    const info = await probe(path).catch((error: unknown) => {
      if (error instanceof NotMediaError) throw failure('OutputUnusable', outputLooksLike(error), { cause: error });
      throw error;
    });
    if (info.kind !== expected) {
      if (isKnownKind) throw failure('OutputUnusable', `the output is ${info.kind}, and ${expected} was expected`);
      throw failure('OutputOfOtherKind', outputIs(info.kind, expected));
    }
    const { mediaType, durationSeconds, width, height } = info;
    return { mediaType, durationSeconds, width, height };
  };
}

/** Without the path: a part file is gone by the time that somebody reads this. */
function outputLooksLike({ looksLike }: NotMediaError): string {
  return `what came is no video, audio or image: it looks like ${looksLike}`;
}

/** The task is paid for: said rightly, the next try collects it at no cost. */
export function outputIs(found: OutputKind, expected: OutputKind): string {
  return (
    `the output is ${found}, and ${expected} was expected; say what the model makes, by --output ${found}, ` +
    `output: ${found} under models or ${found} in a table's column output, and try again: what is paid for is collected then`
  );
}

/** For bytes that have no length and no size. */
export function describeOnly(mediaType: string): AssetDescription {
  return { mediaType, durationSeconds: null, width: null, height: null };
}
