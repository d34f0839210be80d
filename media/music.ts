import { listInput } from './file-input';
import type { FilmCue, FilmPoint, FilmSpec } from './film';
import { type FilmPlan, toSeconds } from './film-plan';
import { SAMPLE_RATE } from './piece';
import type { MediaInfo } from './probe';
import { shotSpans } from './text/captions';

/** Time over which music ends that is cut off, at most, in seconds. */
const FADE_OUT_SECONDS = 2;

/** Less of a piece of music is a click. */
const SHORTEST_SECONDS = 0.1;

/** The music steps back while the clips' own sound is louder than this, by up to this ratio, and comes back slowly. */
const DUCK = 'sidechaincompress=threshold=0.1:ratio=3:attack=40:release=600';

/** The ceiling of the mix, a hair under full scale, for what AAC adds. */
const LIMIT = 'alimiter=limit=0.95:level=disabled';

const STEREO = `aformat=sample_fmts=fltp:sample_rates=${SAMPLE_RATE}:channel_layouts=stereo`;

/** Music in its place in the film; times in seconds of it. */
export interface PlacedCue {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** How often the file is played, one after the other. */
  readonly times: number;
  readonly volumeDb: number;
  readonly fadeInSeconds: number;
  readonly fadeOutSeconds: number;
}

/** A cue to be mixed: `list` is for ffmpeg's concat demuxer, and holds the file as often as it is played. */
export interface MusicInput extends PlacedCue {
  readonly list: string;
  readonly info: MediaInfo;
}

/** All music of a film as cues: music that has no place fills the whole of it. */
export function cuesOf({ music }: Pick<FilmSpec, 'music'>, plan: FilmPlan): readonly FilmCue[] {
  if (music === undefined) return [];
  if ('path' in music) return [{ ...music, from: 0, to: toSeconds(plan.frames, plan.format.frameRate) }];
  return music;
}

/**
 * Where a cue lies in the film; undefined where nothing of it is heard.
 *
 * Where it says its end, it is repeated until then; else it plays once, and no longer than the film.
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
  // Fades that do not fit beside each other get shorter alike.
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
 * Arguments that mix music under the clips' own sound, which is that of input 0.
 *
 * @param inputNumber adds an input and tells its number.
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

/** One cue in its place, with silence around it that makes it as long as the film. */
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
 * Adds sounds of one length, each as loud as it is. amix divides by their number, in every version; `normalize=0`, which
 * keeps it from that, is missing in older ones.
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
