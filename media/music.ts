import { listInput } from './file-input';
import type { FilmCue, FilmPoint, FilmSpec } from './film';
import { type FilmPlan, toSeconds } from './film-plan';
import { SAMPLE_RATE } from './piece';
import type { MediaInfo } from './probe';
import { shotSpans } from './text/captions';

/** Longest default fade-out of music that is cut off, in seconds. */
const FADE_OUT_SECONDS = 2;

/** Shorter music would sound like a click. */
const SHORTEST_SECONDS = 0.1;

/** Lowers the music while the clips' own sound exceeds the threshold. Then raises the music slowly. */
const DUCK = 'sidechaincompress=threshold=0.1:ratio=3:attack=40:release=600';

/** Ceiling of the mix, slightly below full scale, because AAC can raise peaks. */
const LIMIT = 'alimiter=limit=0.95:level=disabled';

const STEREO = `aformat=sample_fmts=fltp:sample_rates=${SAMPLE_RATE}:channel_layouts=stereo`;

/** Music placed in the film. Times are in seconds of the film. */
export interface PlacedCue {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Number of times that the file plays in a row. */
  readonly times: number;
  readonly volumeDb: number;
  readonly fadeInSeconds: number;
  readonly fadeOutSeconds: number;
}

/** A cue to mix. `list`: path of a list for ffmpeg's concat demuxer, with `times` entries for the file. */
export interface MusicInput extends PlacedCue {
  readonly list: string;
  readonly info: MediaInfo;
}

/** All music of a film as cues. A single file fills the whole film. */
export function cuesOf({ music }: Pick<FilmSpec, 'music'>, plan: FilmPlan): readonly FilmCue[] {
  if (music === undefined) return [];
  if ('path' in music) return [{ ...music, from: 0, to: toSeconds(plan.frames, plan.format.frameRate) }];
  return music;
}

/**
 * Places a cue in the film; undefined if less than `SHORTEST_SECONDS` of it would be heard.
 *
 * If the cue has an end, the music repeats until then. Otherwise it plays once. It never plays beyond the film's end.
 */
export function placeCue(
  { path: _path, from, to, volumeDb, ...fades }: FilmCue,
  musicSeconds: number,
  { clips }: Pick<FilmSpec, 'clips'>,
  plan: FilmPlan,
): PlacedCue | undefined {
  const filmSeconds = toSeconds(plan.frames, plan.format.frameRate);
  const startSeconds = secondsOf(from, clips, plan);
  const ownEnd = startSeconds + musicSeconds;
  const endSeconds = Math.min(filmSeconds, to === undefined ? ownEnd : secondsOf(to, clips, plan));
  const length = endSeconds - startSeconds;
  if (length < SHORTEST_SECONDS) return undefined;
  const isCutOff = to !== undefined || ownEnd > filmSeconds;
  const fadeIn = fades.fadeInSeconds ?? 0;
  const fadeOut = fades.fadeOutSeconds ?? (isCutOff ? Math.min(FADE_OUT_SECONDS, length / 2) : 0);
  // If the two fades together do not fit, shorten both by the same factor.
  const share = Math.min(1, length / Math.max(fadeIn + fadeOut, length));
  return {
    startSeconds,
    endSeconds,
    times: Math.ceil(length / musicSeconds),
    volumeDb,
    fadeInSeconds: fadeIn * share,
    fadeOutSeconds: fadeOut * share,
  };
}

/**
 * ffmpeg's arguments that mix music under the clips' own sound, which is input 0.
 *
 * @param inputNumber adds an input and returns its number.
 */
export function mixMusic(
  cues: readonly MusicInput[],
  filmSeconds: number,
  inputNumber: (input: readonly string[]) => number,
): readonly string[] {
  const graph = [
    `[0:a:0]${STEREO},asplit[own][key]`,
    ...cues.map((cue, index) =>
      cueFilters(cue, inputNumber(listInput(cue.list, cue.info)), filmSeconds, `[cue${index}]`),
    ),
    `${cues.map((_cue, index) => `[cue${index}]`).join('')}${summed(cues.length)}[music]`,
    `[music][key]${DUCK}[bed]`,
    `[own][bed]${summed(2)},${LIMIT}[mix]`,
  ];
  return ['-filter_complex', graph.join(';'), '-map', '[mix]'];
}

/** Filters that place one cue in the film. Silence fills the rest of the film's length. */
function cueFilters(cue: MusicInput, input: number, filmSeconds: number, output: string): string {
  const { startSeconds, endSeconds, volumeDb, fadeInSeconds, fadeOutSeconds } = cue;
  const length = endSeconds - startSeconds;
  const delay = Math.round(startSeconds * 1000);
  return (
    [
      `[${input}:a:0]aresample=${SAMPLE_RATE}:async=1:first_pts=0`,
      STEREO,
      `volume=${volumeDb}dB`,
      `apad`,
      `atrim=end=${length}`,
      ...(fadeInSeconds > 0 ? [`afade=t=in:st=0:d=${fadeInSeconds}`] : []),
      ...(fadeOutSeconds > 0 ? [`afade=t=out:st=${length - fadeOutSeconds}:d=${fadeOutSeconds}`] : []),
      ...(delay > 0 ? [`adelay=${delay}|${delay}`] : []),
      ...(length < filmSeconds ? [`apad`, `atrim=end=${filmSeconds}`] : []),
    ].join(',') + output
  );
}

/**
 * Adds sounds of equal length without changing their levels.
 *
 * The filter amix divides the sum by the number of inputs, so the result is multiplied by that number. Older versions
 * of amix lack the option `normalize=0`.
 */
function summed(count: number): string {
  return count === 1 ? 'anull' : `amix=inputs=${count}:duration=first:dropout_transition=0,volume=${count}`;
}

function secondsOf(point: FilmPoint, clips: FilmSpec['clips'], plan: FilmPlan): number {
  if (typeof point === 'number') return point;
  const chapter = 'startOf' in point ? point.startOf : point.endOf;
  const span = shotSpans(plan)[clips.findIndex((clip) => clip.chapter === chapter)];
  const frame = 'startOf' in point ? span?.startFrame : span?.endFrame;
  return toSeconds(frame ?? plan.frames, plan.format.frameRate);
}
