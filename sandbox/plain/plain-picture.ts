import { writeFile } from 'node:fs/promises';
import { writeThroughPart } from '../../media/part-file';
import type { ImageWork } from '../tasks/work';
import { colorOf, hashOf } from './color';
import { writePng } from './png';

/** Writes a still of one color as a PNG in the requested size. Different tasks have different pictures. */
export async function renderPlainPicture(
  { prompt, width, height }: ImageWork,
  path: string,
  taskId: string,
): Promise<void> {
  const picture = writePng({ width, height }, colorOf(prompt, taskId), hashOf(prompt, taskId));
  await writeThroughPart(path, (part) => writeFile(part, picture));
}
