import { fileInput, ownFile } from '../../media/file-input';
import type { Size } from './clip-size';
import type { ProbedFile } from '../tasks/file-values';
import type { VideoWork } from '../tasks/work';

export const FRAME_RATE = 24;

/** Longest dissolve from a start frame to the scene, or from the scene to an end frame. */
const DISSOLVE_SECONDS = 1.5;

/** Number of closing frames without fade, so that rounding in the fade does not affect the last frame. */
const END_HOLD_FRAMES = 2;

/** Quality of the clip (x264's crf). Lower is better. */
const QUALITY = 18;

/** x264's quantizer for the first and last frame, where linked clips join. Lower is better. */
const LINKED_FRAME_QUANTIZER = 8;

/** Colors are converted and tagged as BT.709, so that a frame cut from the clip has the colors of the given frame. */
const COLOR_TAGS = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'];
const TO_YUV = 'out_color_matrix=bt709:out_range=tv';

export interface ClipInputs {
  readonly size: Size;
  /** Size of the painted frames, which ffmpeg reads from `pipe:0`. */
  readonly scene: Size;
  readonly startFrame: ProbedFile | undefined;
  /** If set, the start frame fills the whole clip, with its contrast multiplied around its mean luma (0 to 255). */
  readonly contrast: { readonly factor: number; readonly meanLuma: number } | undefined;
  readonly endFrame: ProbedFile | undefined;
  readonly soundtrack: string | undefined;
  readonly output: string;
}

/** The arguments with which ffmpeg renders a clip. They use only filters that ffmpeg builds of 2018 have. */
export function clipArguments(work: VideoWork, inputs: ClipInputs): string[] {
  const { scene, startFrame, endFrame, soundtrack, output } = inputs;
  const frameCount = work.durationSeconds * FRAME_RATE;
  const input: string[] = ['-f', 'rawvideo', '-pix_fmt', 'rgb0', '-s', `${scene.width}x${scene.height}`];
  input.push('-r', `${FRAME_RATE}`, '-i', 'pipe:0');
  const given = [startFrame, endFrame].filter((frame) => frame !== undefined);
  for (const { path, info } of given) input.push(...fileInput(path, info));
  if (soundtrack !== undefined) input.push('-f', 'wav', ...ownFile(soundtrack));

  const audioOutput =
    soundtrack === undefined ? ['-an'] : ['-map', `${1 + given.length}:a:0`, '-c:a', 'aac', '-b:a', '128k'];
  return [
    ...input,
    ...['-filter_complex', filterGraph(work, inputs, frameCount), '-map', '[clip]', ...audioOutput],
    ...['-frames:v', `${frameCount}`, ...encoding(work, frameCount)],
    ...['-movflags', '+faststart', '-f', work.container, output],
  ];
}

function encoding({ colorDepth }: VideoWork, frameCount: number): string[] {
  const last = frameCount - 1;
  const linkedFrame = `q=${LINKED_FRAME_QUANTIZER}`;
  return [
    ...['-c:v', 'libx264', '-preset', 'superfast', '-crf', `${QUALITY}`],
    ...['-x264-params', `zones=0,0,${linkedFrame}/${last},${last},${linkedFrame}`],
    ...['-pix_fmt', colorDepth === '10bit' ? 'yuv420p10le' : 'yuv420p', ...COLOR_TAGS],
  ];
}

function filterGraph(
  work: VideoWork,
  { size, startFrame, endFrame, contrast }: ClipInputs,
  frameCount: number,
): string {
  const { width, height } = size;
  const dissolve = Math.min(DISSOLVE_SECONDS, work.durationSeconds / 3) * FRAME_RATE;
  const chains = [`[0:v]scale=${width}:${height}:flags=bicubic:${TO_YUV},format=yuv420p[scene]`];
  let picture = 'scene';

  if (startFrame !== undefined) {
    const dissolved = `${still(size, dissolve + 1)},fade=t=out:start_frame=0:nb_frames=${dissolve}:alpha=1`;
    chains.push(
      `[1:v]${contrast === undefined ? dissolved : `${still(size, 1)},${multiplied(contrast)}`}[start]`,
      `[${picture}][start]overlay=eof_action=${contrast === undefined ? 'pass' : 'repeat'}[started]`,
    );
    picture = 'started';
  }
  if (endFrame !== undefined) {
    const first = frameCount - dissolve - END_HOLD_FRAMES;
    const fade = `fade=t=in:start_frame=0:nb_frames=${dissolve}:alpha=1`;
    const place = `setpts=PTS+${first}/${FRAME_RATE}/TB`;
    chains.push(
      `[${startFrame === undefined ? 1 : 2}:v]${still(size, dissolve + END_HOLD_FRAMES)},${fade},${place}[end]`,
      `[${picture}][end]overlay=eof_action=repeat[ended]`,
    );
    picture = 'ended';
  }
  chains.push(`[${picture}]${work.watermark ? watermark(size) : 'null'}[clip]`);
  return chains.join(';');
}

/** Scales and crops a picture to the size of the clip, and repeats the picture for `frameCount` frames. */
function still({ width, height }: Size, frameCount: number): string {
  const cover = `scale=${width}:${height}:force_original_aspect_ratio=increase:flags=bicubic:${TO_YUV}`;
  const repeated = `loop=loop=${frameCount - 1}:size=1:start=0,setpts=N/${FRAME_RATE}/TB`;
  return `${cover},crop=${width}:${height},setsar=1,format=yuva420p,${repeated}`;
}

function multiplied({ factor, meanLuma }: NonNullable<ClipInputs['contrast']>): string {
  // Video luma ranges from 16 to 235.
  const mean = 16 + (meanLuma * 219) / 255;
  return `lutyuv=y='clip((val-${mean})*${factor}+${mean}+0.5,minval,maxval)'`;
}

/** Two bars in the lower right corner. A text mark would need a font. */
function watermark({ height }: Size): string {
  const unit = Math.round(height / 60);
  const bar = (right: number, tall: number) =>
    `drawbox=x=iw-${right * unit}:y=ih-${(tall + 1) * unit}:w=${unit}:h=${tall * unit}:color=white@0.4:t=fill`;
  return `${bar(4, 3)},${bar(2, 2)}`;
}
