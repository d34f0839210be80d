import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFfmpeg } from '../../media/find-ffmpeg';
import { temporaryFolder } from '../support/temporary-folder';

/** Runs ffmpeg and returns its output; fails with it if ffmpeg does. */
export async function ffmpeg(...args: string[]): Promise<string> {
  const { path } = await findFfmpeg();
  return await new Promise((resolve, reject) => {
    const child = spawn(path, ['-hide_banner', '-y', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let written = '';
    for (const output of [child.stdout, child.stderr]) {
      output.on('data', (chunk: Buffer) => (written += chunk.toString()));
    }
    child.once('close', (code) => {
      if (code === 0) resolve(written);
      else reject(new Error(written));
    });
  });
}

/** A colourful picture with fine detail, as a PNG on disk. */
export async function testPicture(width: number, height: number): Promise<string> {
  const path = join(await temporaryFolder(), 'picture.png');
  await ffmpeg(
    '-f',
    'lavfi',
    '-i',
    `testsrc2=s=${width}x${height}:d=1`,
    '-vf',
    'noise=alls=4:all_seed=1',
    '-frames:v',
    '1',
    path,
  );
  return path;
}

/** A WAV file of that length. */
export async function silence(seconds: number): Promise<Buffer> {
  const path = join(await temporaryFolder(), 'silence.wav');
  await ffmpeg('-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', String(seconds), path);
  return await readFile(path);
}

/** Structural similarity of two pictures of one size, as video shows them (4:2:0); 1 is equal. */
export async function similarity(one: string, other: string): Promise<number> {
  return Number(/All:([\d.]+)/.exec(await compare(one, other, 'yuv420p', 'ssim'))?.[1]);
}

/** Mean error of red, green and blue in steps of 255. Unlike similarity it shows colors that are slightly off. */
export async function colorError(one: string, other: string): Promise<number> {
  const meanSquare = /mse_avg:([\d.]+)/.exec(await compare(one, other, 'gbrp', 'psnr=stats_file=-'))?.[1];
  return Math.sqrt(Number(meanSquare));
}

async function compare(one: string, other: string, format: string, filter: string): Promise<string> {
  const graph = `[0:v]format=${format}[a];[1:v]format=${format}[b];[a][b]${filter}`;
  return await ffmpeg('-i', one, '-i', other, '-filter_complex', graph, '-f', 'null', '-');
}

export async function savedAs(name: string, bytes: Buffer): Promise<string> {
  const path = join(await temporaryFolder(), name);
  await writeFile(path, bytes);
  return path;
}

export function dataUri(mediaType: string, bytes: Buffer): string {
  return `data:${mediaType};base64,${bytes.toString('base64')}`;
}
