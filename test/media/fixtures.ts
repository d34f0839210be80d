import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFfmpeg, runFfmpeg, type Ffmpeg, type FilmClip, type FilmSpec } from '../../media';

interface ClipOptions {
  readonly width?: number;
  readonly height?: number;
  readonly frameRate?: string;
  readonly frames?: number;
  /** A colour, or a moving test picture. */
  readonly picture?: string;
  readonly pixelFormat?: string;
  readonly codec?: readonly string[];
  /** Seconds of sound, and a source of it. None by default. */
  readonly soundSeconds?: number;
  readonly sound?: string;
  readonly extra?: readonly string[];
}

/** Renders a clip with ffmpeg. Default: 320 × 180, 24 frames a second, 24 frames, without sound. */
export async function makeClip(path: string, options: ClipOptions = {}): Promise<string> {
  const { width = 320, height = 180, frameRate = '24', frames = 24, picture, soundSeconds } = options;
  const source = picture === undefined ? 'testsrc2=' : `color=c=${picture}:`;
  await runFfmpeg(await findFfmpeg(), [
    ...['-f', 'lavfi', '-i', `${source}size=${width}x${height}:rate=${frameRate},trim=end_frame=${frames}`],
    ...(soundSeconds === undefined
      ? []
      : ['-f', 'lavfi', '-t', String(soundSeconds), '-i', options.sound ?? 'sine=f=440:r=48000', '-ac', '2']),
    ...['-pix_fmt', options.pixelFormat ?? 'yuv420p'],
    ...(options.codec ?? ['-c:v', 'libx264', '-preset', 'veryfast']),
    ...(options.extra ?? []),
    path,
  ]);
  return path;
}

/** Runs ffmpeg on one file and returns what it made of it. */
async function convert(path: string, args: readonly string[]): Promise<Buffer> {
  const result = join(`${path}.${args.join('').replace(/\W/g, '').slice(-60)}`);
  await runFfmpeg(await findFfmpeg(), ['-i', path, ...args, result]);
  return await readFile(result);
}

/** A hash of each frame of a file's picture as it is displayed, from a full decode to 8-bit RGB. */
export async function pictureHashes(path: string): Promise<readonly string[]> {
  const text = (await convert(path, ['-map', '0:v:0', '-pix_fmt', 'rgb24', '-f', 'framemd5'])).toString();
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(',').at(-1)!.trim());
}

/** The compressed bytes of a file's picture. */
export async function picturePackets(path: string): Promise<Buffer> {
  return await convert(path, ['-map', '0:v:0', '-c', 'copy', '-f', 'data']);
}

/** Mean red, green and blue of each frame, 0 to 255, of the whole picture or of a part `w:h:x:y` of it. */
export async function frameColors(path: string, part = 'iw:ih:0:0'): Promise<readonly (readonly number[])[]> {
  const filter = `crop=${part},format=rgb24,scale=1:1:flags=area`;
  const bytes = await convert(path, ['-map', '0:v:0', '-vf', filter, '-f', 'rawvideo']);
  return Array.from({ length: bytes.length / 3 }, (_, frame) => [...bytes.subarray(frame * 3, frame * 3 + 3)]);
}

/** The left channel of a file's sound at 48 kHz. */
export async function samples(path: string): Promise<Float32Array> {
  const bytes = await convert(path, ['-map', '0:a:0', '-ac', '2', '-ar', '48000', '-f', 'f32le']);
  const both = new Float32Array(new Uint8Array(bytes).buffer);
  return both.filter((_, index) => index % 2 === 0);
}

/** Root mean square of the sound from one second to another. */
export function loudness(sound: Float32Array, from: number, to: number): number {
  const part = sound.subarray(Math.round(from * 48_000), Math.round(to * 48_000));
  return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length);
}

/** Strength of a tone in the sound from one second to another, as the amplitude of its sine. */
export function tone(sound: Float32Array, hertz: number, from: number, to: number): number {
  const part = sound.subarray(Math.round(from * 48_000), Math.round(to * 48_000));
  let [real, imaginary] = [0, 0];
  part.forEach((sample, index) => {
    real += sample * Math.cos((2 * Math.PI * hertz * index) / 48_000);
    imaginary += sample * Math.sin((2 * Math.PI * hertz * index) / 48_000);
  });
  return (2 * Math.hypot(real, imaginary)) / part.length;
}

/** Subtitles of a film as SubRip, and its metadata with chapters, as ffmpeg reads them back. */
export async function subtitlesOf(path: string): Promise<string> {
  return (await convert(path, ['-map', '0:s:0', '-f', 'srt'])).toString().replace(/<\/?font[^>]*>|\r/g, '');
}

/** @param of which of its metadata: the film's own, or those of a stream, as `s:s:0`. */
export async function metadataOf(path: string, of = 'g'): Promise<string> {
  return (await convert(path, ['-map_metadata', `0:${of}`, '-f', 'ffmetadata'])).toString();
}

/** A film of clips joined by cuts, with nothing else. */
export function filmOf(paths: readonly string[], changes: Partial<FilmSpec> = {}): FilmSpec {
  const clips: FilmClip[] = paths.map((path, index) => ({
    path,
    chapter: `shot-${index + 1}`,
    continuesPrevious: false,
  }));
  return { clips, transition: { kind: 'cut' }, metadataTitle: 'A film', subtitles: false, output: {}, ...changes };
}

/** An ffmpeg that is a shell script; `$REAL` is the real one. */
export async function scriptedFfmpeg(folder: string, script: string): Promise<Ffmpeg> {
  const ffmpeg = await findFfmpeg();
  const path = join(folder, 'scripted-ffmpeg');
  await writeFile(path, `#!/bin/sh\nREAL="${ffmpeg.path}"\n${script}\n`, { mode: 0o755 });
  return { ...ffmpeg, path };
}
