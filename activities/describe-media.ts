import { type OutputKind } from '../contracts/models';
import { NotMediaError, probe } from '../media';
import { type AssetDescription, type Describe } from '../store';
import { failure } from './fail';

/** Looks into downloaded bytes before they become an asset: they must be of the kind that such a task leaves. */
export function describeMedia(expected: OutputKind): Describe {
  return async (path) => {
    const info = await probe(path).catch((error: unknown) => {
      if (error instanceof NotMediaError) throw failure('OutputUnusable', error.message, { cause: error });
      throw error;
    });
    if (info.kind !== expected) {
      throw failure('OutputUnusable', `the output is ${info.mediaType}, and ${expected} was expected`);
    }
    const { mediaType, durationSeconds, width, height } = info;
    return { mediaType, durationSeconds, width, height };
  };
}

/** For bytes that have no length and no size. */
export function describeOnly(mediaType: string): AssetDescription {
  return { mediaType, durationSeconds: null, width: null, height: null };
}
