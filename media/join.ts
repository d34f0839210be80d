import { resolve } from 'node:path';
import { listInput, ownFile } from './file-input';
import { mixMusic, type MusicInput } from './music';
import { SAMPLE_RATE } from './piece';

/** In stereo, AAC at this bit rate is hard to tell from its source. */
const ENCODE_SOUND = ['-c:a', 'aac', '-b:a', '192k', '-ar', String(SAMPLE_RATE), '-ac', '2'];

const PIECE = { mediaType: 'video/quicktime' };

export interface JoinJob {
  /** Path of a list for ffmpeg's concat demuxer. */
  readonly pieceList: string;
  readonly music: readonly MusicInput[];
  readonly metadataFile: string;
  readonly subtitleFile: string | undefined;
  /** ISO 639-2, three letters: MP4 stores no other form. */
  readonly subtitleLanguage: string | undefined;
  readonly durationSeconds: number;
}

/** ffmpeg arguments that join pieces into a film. The picture is copied; the sound is mixed and encoded once. */
export function joinArguments(job: JoinJob, outPath: string): readonly string[] {
  const inputs = [listInput(job.pieceList, PIECE), ['-f', 'ffmetadata', ...ownFile(job.metadataFile)]];
  const inputNumber = (input: readonly string[]) => inputs.push(input) - 1;

  const sound = job.music.length === 0 ? ['-map', '0:a:0'] : mixMusic(job.music, job.durationSeconds, inputNumber);
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

/** An entry of a list for the concat demuxer. A duration overrides the file's own. */
export function listEntry(path: string, durationSeconds?: number): string {
  const file = `file '${resolve(path).replaceAll("'", String.raw`'\''`)}'\n`;
  return durationSeconds === undefined ? file : `${file}duration ${durationSeconds.toFixed(6)}\n`;
}
