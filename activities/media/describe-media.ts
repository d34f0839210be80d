import { type OutputKind } from '../../contracts/gateway/models';
import { NotMediaError, probe } from '../../media';
import { type AssetDescription, type Describe } from '../../store';
import { failure } from '../fail';

/**
 * Makes the function that probes a file before the file becomes an asset. The function throws OutputUnusable (final) if
 * the file is not media, or not of the known kind; OutputOfOtherKind (final) if it is not of the declared kind.
 *
 * @param isDeclared true if a person declared the kind of the model's output, and can correct it. Default: false.
 */
export function describeMedia(expected: OutputKind, isDeclared = false): Describe {
  return async (path) => {
    const info = await probe(path).catch((error: unknown) => {
      if (error instanceof NotMediaError) throw failure('OutputUnusable', outputLooksLike(error), { cause: error });
      throw error;
    });
    if (info.kind !== expected) {
      if (!isDeclared) throw failure('OutputUnusable', `the output is ${info.kind}, and ${expected} was expected`);
      throw failure('OutputOfOtherKind', outputIs(info.kind, expected));
    }
    const { mediaType, durationSeconds, width, height } = info;
    return { mediaType, durationSeconds, width, height };
  };
}

/** Leaves out the path, since the part file is removed before a person reads the message. */
function outputLooksLike({ looksLike }: NotMediaError): string {
  return `the output is not a video, audio or image: it looks like ${looksLike}`;
}

/** The message for an output of another kind than expected. */
export function outputIs(found: OutputKind, expected: OutputKind): string {
  return (
    `the output is ${found}, and ${expected} was expected. Declare the model's output (--output ${found}; ` +
    `"output: ${found}" under models; or ${found} in a table's column "output") and try again: ` +
    'the paid output is collected at no cost'
  );
}

/** An asset description that has only a media type. */
export function typeOnly(mediaType: string): AssetDescription {
  return { mediaType, durationSeconds: null, width: null, height: null };
}
