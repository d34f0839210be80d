import { holdsBatch } from '../../../contracts/file/batch-file';
import { isRecord } from './given-text';
import { readSourceText } from './source-text';

/** A summary of a production file, for a list of files. */
export interface Outline {
  /** Null if the file has no title. */
  readonly title: string | null;
  readonly shots: number;
}

/** Reads a file's title and counts its shots, unchecked. Undefined for a batch, or a text without a list of shots. */
export function outlineOf(text: string): Outline | undefined {
  const { value } = readSourceText(text);
  if (!isRecord(value) || holdsBatch(value)) return undefined;
  const { title, shots } = value;
  if (!Array.isArray(shots)) return undefined;
  return { title: typeof title === 'string' ? title : null, shots: shots.length };
}
