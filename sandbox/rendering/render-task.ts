import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ffmpeg } from '../../media/find-ffmpeg';
import type { FileValues } from '../tasks/file-values';
import { renderPlainPicture } from '../plain/plain-picture';
import { renderClip } from './render-clip';
import { renderPicture } from './render-picture';
import type { Work } from '../tasks/work';
import { writeText } from './write-text';
import type { TaskOutput } from '../tasks/task-journal';

export interface RenderTaskOptions {
  readonly ffmpeg: Ffmpeg;
  readonly fileValues: FileValues;
  /** Folder for the task's files. */
  readonly folder: string;
  /** Seed of pictures, and of clips whose task has no seed. */
  readonly taskId: string;
  /** Contrast factor of painted clips that have a start frame; undefined for no change. */
  readonly contrastDrift: number | undefined;
  readonly pictures: 'painted' | 'plain';
  readonly signal: AbortSignal;
}

/**
 * Renders a task's output. Does not use files of an interrupted attempt.
 *
 * @throws FileUnusable if an input file cannot be used; FfmpegError if ffmpeg fails.
 */
export async function renderTask(work: Work, options: RenderTaskOptions): Promise<TaskOutput> {
  const { folder, pictures } = options;
  if (work.kind === 'text') return { text: writeText(work.prompt) };

  await mkdir(folder, { recursive: true });
  if (work.kind === 'image') {
    const path = join(folder, 'image.png');
    await (pictures === 'plain' ? renderPlainPicture(work, path, options.taskId) : renderPicture(work, path, options));
    return { file: 'image.png' };
  }
  const scratch = join(folder, '.scratch');
  await mkdir(scratch, { recursive: true });
  try {
    return await renderClip(work, { ...options, scratch });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
