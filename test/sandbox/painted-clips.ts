import { join } from 'node:path';
import { findFfmpeg } from '../../media/find-ffmpeg';
import { firstFrame, lastFrame } from '../../media/frames';
import { PAINTED } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { ffmpeg, savedAs } from './media-files';
import { download, finish, sandbox, submit } from './rig';

/** With less similarity, the join between two takes would be visible. */
export const SAME_PICTURE = 0.98;

export async function render(params: Record<string, unknown>, model = 'beta-2.5') {
  const server = await sandbox(PAINTED);
  const task = await finish(server, await submit(server, model, params));
  expect(task).toMatchObject({ status: 'COMPLETED' });
  const url = task.result!.url!;
  const clip = await savedAs(url.endsWith('.mov') ? 'clip.mov' : 'clip.mp4', await download(url));
  return { task, clip };
}

export async function framesOf(clip: string) {
  const folder = await temporaryFolder();
  const found = await findFfmpeg();
  const [first, last] = [join(folder, 'first.png'), join(folder, 'last.png')];
  await firstFrame(found, clip, first);
  await lastFrame(found, clip, last);
  return { first, last };
}

export async function countFrames(clip: string): Promise<number> {
  const report = await ffmpeg('-i', clip, '-map', '0:v', '-f', 'null', '-');
  return Number([...report.matchAll(/frame= *(\d+)/g)].at(-1)?.[1]);
}

export async function stillOf(prompt: string): Promise<{ url: string }> {
  const server = await sandbox(PAINTED);
  const task = await finish(server, await submit(server, 'pixel-image-1', { prompt, width: 1280, height: 720 }));
  return { url: task.result!.url! };
}
