import { type OutputKind } from '../contracts/gateway/models';
import { readResult, type ResultFile, type TaskResultReading } from '../gateway';

/** The result of a task, from the ledger's record. */
export function keptResult(raw: string): TaskResultReading {
  return readResult({ result: JSON.parse(raw) as unknown });
}

/**
 * The first file that fits `output`: an image for `image`, a file of another kind otherwise. Prefers files other than
 * covers and last frames. If no file fits, returns the first file; undefined if there are no files.
 */
export function mainFile(files: readonly ResultFile[], output: OutputKind): ResultFile | undefined {
  const ofKind = files.filter(({ isImage }) => isImage === (output === 'image'));
  return ofKind.find(({ isBeside }) => !isBeside) ?? ofKind[0] ?? files[0];
}
