import { resolve } from 'node:path';
import { listInput, ownFile } from './file-input';
import type { MediaInfo } from './probe';
import { SAMPLE_RATE } from './piece';

/** Sound of the film. AAC at this rate is hard to tell from its source in stereo. */
const ENCODE_SOUND = ['-c:a', 'aac', '-b:a', '192k', '-ar', String(SAMPLE_RATE), '-ac', '2'];

/** Time over which the music ends, at most, in seconds. */
const MUSIC_FADE_SECONDS = 2;

/** The music steps back while the clips' own sound is louder than this, by up to this ratio, and comes back slowly. */
const DUCK = 'sidechaincompress=threshold=0.1:ratio=3:attack=40:release=600';

const PIECE = { mediaType: 'video/quicktime' };

/** The ceiling of the mix, a hair under full scale, for what AAC adds. */
const LIMIT = 'alimiter=limit=0.95:level=disabled';

export interface JoinJob {
  /** Lists to be read by ffmpeg's concat demuxer. */
  readonly pieceList: string;
  readonly music: { readonly list: string; readonly info: MediaInfo; readonly volumeDb: number } | undefined;
  readonly metadataFile: string;
  readonly subtitleFile: string | undefined;
  /** Three letters of ISO 639-2; an mp4 keeps no other. */
  readonly subtitleLanguage: string | undefined;
  readonly durationSeconds: number;
}

/** Arguments that make the film of its pieces: the picture is copied, the sound mixed and encoded once. */
export function joinArguments(job: JoinJob, outPath: string): readonly string[] {
  const inputs = [listInput(job.pieceList, PIECE), ['-f', 'ffmetadata', ...ownFile(job.metadataFile)]];
  const inputNumber = (input: readonly string[]) => inputs.push(input) - 1;

  const sound = job.music
    ? mixMusic(inputNumber(listInput(job.music.list, job.music.info)), job.music.volumeDb, job.durationSeconds)
    : ['-map', '0:a:0'];
  const language = job.subtitleLanguage === undefined ? [] : ['-metadata:s:s:0', `language=${job.subtitleLanguage}`];
  const subtitles =
    job.subtitleFile === undefined
      ? []
      : ['-map', `${inputNumber(['-f', 'srt', ...ownFile(job.subtitleFile)])}:s:0`, '-c:s', 'mov_text', ...language];

  return [
    ...inputs.flat(),
    ...['-map', '0:v:0', '-c:v', 'copy'],
    ...sound,
    ...ENCODE_SOUND,
    ...subtitles,
    ...['-map_metadata', '1', '-map_chapters', '1', '-movflags', '+faststart', '-f', 'mp4', outPath],
  ];
}

/** A line of a list for the concat demuxer. A duration overrides the file's own. */
export function listEntry(path: string, durationSeconds?: number): string {
  const file = `file '${resolve(path).replaceAll("'", String.raw`'\''`)}'\n`;
  return durationSeconds === undefined ? file : `${file}duration ${durationSeconds.toFixed(6)}\n`;
}

function mixMusic(input: number, volumeDb: number, filmSeconds: number): readonly string[] {
  const fade = Math.min(MUSIC_FADE_SECONDS, filmSeconds / 2);
  const stereo = `aformat=sample_fmts=fltp:sample_rates=${SAMPLE_RATE}:channel_layouts=stereo`;
  const graph = [
    `[0:a:0]${stereo},asplit[own][key]`,
    `[${input}:a:0]aresample=${SAMPLE_RATE}:async=1:first_pts=0,${stereo},volume=${volumeDb}dB,apad,` +
      `atrim=end=${filmSeconds},afade=t=out:st=${filmSeconds - fade}:d=${fade}[music]`,
    `[music][key]${DUCK}[bed]`,
    // amix halves both of two inputs, in every version.
    `[own][bed]amix=inputs=2:duration=first:dropout_transition=0,volume=2,${LIMIT}[mix]`,
  ];
  return ['-filter_complex', graph.join(';'), '-map', '[mix]'];
}
