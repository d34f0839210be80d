import { type OutputKind } from '../contracts/gateway/models';
import { readResult, type ResultFile, type TaskResultReading } from '../gateway';

/** The result of a task, from the ledger's record. */
export function keptResult(raw: string): TaskResultReading {
  return readResult({ result: JSON.parse(raw) as unknown });
}

/** True if a file can be the output: `image` takes images, `audio` all but images, others all but images and sounds. */
export function isOfKind({ isImage, isSound }: ResultFile, output: OutputKind): boolean {
  return output === 'image' ? isImage : !isImage && (output === 'audio' || !isSound);
}

/**
 * The first file that fits `output` (`isOfKind`). Prefers files other than covers and last frames. If no file fits,
 * returns the first file; undefined if there are no files.
 */
export function mainFile(files: readonly ResultFile[], output: OutputKind): ResultFile | undefined {
  const ofKind = files.filter((file) => isOfKind(file, output));
  return ofKind.find(({ isBeside }) => !isBeside) ?? ofKind[0] ?? files[0];
}
