import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { measureColor } from '../../media/color';
import type { Ffmpeg } from '../../media/find-ffmpeg';
import { lastFrame } from '../../media/frames';
import { writeThroughPart } from '../../media/part-file';
import { renderBounds, runFfmpeg } from '../../media/run-ffmpeg';
import { clipArguments, FRAME_RATE } from './clip-arguments';
import { clipSize, sceneSize } from './clip-size';
import type { FileValues, ProbedFile } from '../tasks/file-values';
import { renderPlainClip } from '../plain/plain-clip';
import { createScene, type Scene } from '../scene/scene';
import { composePad } from './soundtrack';
import type { TaskOutput } from '../tasks/task-journal';
import type { VideoWork } from '../tasks/work';

export interface RenderClipOptions {
  readonly ffmpeg: Ffmpeg;
  readonly fileValues: FileValues;
  readonly folder: string;
  readonly scratch: string;
  readonly taskId: string;
  readonly contrastDrift: number | undefined;
  readonly pictures: 'painted' | 'plain';
  readonly signal: AbortSignal;
}

/**
 * Renders a clip with the requested length, container and color depth. The clip begins with the start frame and ends
 * with the end frame, if the task has them. A painted clip has the requested size; a plain clip is smaller.
 *
 * @throws FileUnusable for a given file that cannot be used; FfmpegError if ffmpeg fails.
 */
export async function renderClip(work: VideoWork, options: RenderClipOptions): Promise<TaskOutput> {
  const { ffmpeg, fileValues, folder, scratch, contrastDrift, signal } = options;
  const given = new Map<string, ProbedFile>();
  for (const file of work.files) given.set(file.parameter, await fileValues.open(file, scratch, signal));
  const startFrame = given.get('startFrame');
  const size = clipSize(work, startFrame?.info);

  const seed = work.seed ?? options.taskId;
  if (options.pictures === 'plain') {
    const frames = { startFrame, endFrame: given.get('endFrame') };
    return renderPlainClip(work, { ffmpeg, folder, scratch, seed, size, ...frames, signal });
  }

  const scene = createScene({
    ...sceneSize(size),
    prompt: work.prompt,
    seed,
    durationSeconds: work.durationSeconds,
  });
  const soundtrack = work.sound ? join(scratch, 'soundtrack.wav') : undefined;
  if (soundtrack !== undefined) await writeFile(soundtrack, composePad([work.prompt], work.durationSeconds));

  const contrast =
    startFrame === undefined || contrastDrift === undefined
      ? undefined
      : { factor: contrastDrift, meanLuma: (await measureColor(ffmpeg, startFrame.path, { signal })).brightness };
  const inputs = (output: string) => ({
    size,
    scene,
    startFrame,
    contrast,
    endFrame: given.get('endFrame'),
    soundtrack,
    output,
  });

  const file = `video.${work.container}`;
  await writeThroughPart(join(folder, file), (part) =>
    runFfmpeg(ffmpeg, clipArguments(work, inputs(part)), {
      signal,
      bounds: renderBounds(work.durationSeconds),
      input: Readable.from(frames(scene, work.durationSeconds), { highWaterMark: 2 }),
    }),
  );
  if (!work.returnLastFrame) return { file };
  await lastFrame(ffmpeg, join(folder, file), join(folder, 'last-frame.png'), { signal });
  return { file, lastFrame: 'last-frame.png' };
}

function* frames(scene: Scene, durationSeconds: number): Generator<Uint8Array> {
  const count = durationSeconds * FRAME_RATE;
  for (let frame = 0; frame < count; frame += 1) yield scene.paint(frame / FRAME_RATE);
}
