import { Readable } from 'node:stream';
import type { Ffmpeg } from '../media/find-ffmpeg';
import { writeThroughPart } from '../media/part-file';
import { runFfmpeg } from '../media/run-ffmpeg';
import { sceneSize } from './clip-size';
import { createScene } from './scene/scene';
import type { ImageWork } from './work';

/** The moment that a still shows, in seconds: past the fade-in of nothing, before anything has moved far. */
const MOMENT_SECONDS = 1;

/** Paints one still and writes it as PNG. */
export async function renderPicture(ffmpeg: Ffmpeg, work: ImageWork, path: string, signal: AbortSignal): Promise<void> {
  const { prompt, width, height } = work;
  const scene = createScene({ ...sceneSize(work), prompt, seed: 'still', durationSeconds: 5 });
  const painted = ['-f', 'rawvideo', '-pix_fmt', 'rgb0', '-s', `${scene.width}x${scene.height}`, '-i', 'pipe:0'];
  const scaled = ['-vf', `scale=${width}:${height}:flags=bicubic`, '-frames:v', '1', '-pix_fmt', 'rgb24'];
  await writeThroughPart(path, (part) =>
    runFfmpeg(ffmpeg, [...painted, ...scaled, '-c:v', 'png', '-f', 'image2', '-update', '1', part], {
      signal,
      input: Readable.from([scene.paint(MOMENT_SECONDS)]),
    }),
  );
}
