import { Readable } from 'node:stream';
import type { Ffmpeg } from '../../media/find-ffmpeg';
import { writeThroughPart } from '../../media/part-file';
import { runFfmpeg } from '../../media/run-ffmpeg';
import { sceneSize } from './clip-size';
import { createScene } from '../scene/scene';
import type { ImageWork } from '../tasks/work';

/** The moment of the scene that a still shows, in seconds. */
const MOMENT_SECONDS = 1;

export interface PictureOptions {
  readonly ffmpeg: Ffmpeg;
  /** Makes the pictures of different tasks differ, so that takes can be distinguished. */
  readonly taskId: string;
  readonly signal: AbortSignal;
}

/** Paints one still and writes it as PNG. */
export async function renderPicture(
  work: ImageWork,
  path: string,
  { ffmpeg, taskId, signal }: PictureOptions,
): Promise<void> {
  const { prompt, width, height } = work;
  const scene = createScene({ ...sceneSize(work), prompt, seed: taskId, durationSeconds: 5 });
  const painted = ['-f', 'rawvideo', '-pix_fmt', 'rgb0', '-s', `${scene.width}x${scene.height}`, '-i', 'pipe:0'];
  const scaled = ['-vf', `scale=${width}:${height}:flags=bicubic`, '-frames:v', '1', '-pix_fmt', 'rgb24'];
  await writeThroughPart(path, (part) =>
    runFfmpeg(ffmpeg, [...painted, ...scaled, '-c:v', 'png', '-f', 'image2', '-update', '1', part], {
      signal,
      input: Readable.from([scene.paint(MOMENT_SECONDS)]),
    }),
  );
}
