import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { languageCode } from '../contracts/file/languages';
import { FilmError, type FilmSpec } from './film';
import { planFilm, toSeconds, type FilmPlan, type Source } from './film-plan';
import type { Ffmpeg } from './find-ffmpeg';
import { joinArguments, listEntry, type JoinJob } from './join';
import { cuesOf, type MusicInput, placeCue } from './music';
import { writeThroughPart } from './part-file';
import { probe, type MediaInfo } from './probe';
import { renderPieces, type LinkPiece } from './render-pieces';
import { renderBounds, runFfmpeg } from './run-ffmpeg';
import { metadataText, subtitleText } from './text/tracks';

/** Share of the progress that rendering the pieces takes; joining them is quick. */
const PIECES_SHARE = 0.95;

/** Largest accepted difference between the film's length and its plan, in seconds. */
const LENGTH_TOLERANCE_SECONDS = 0.1;

/** Shortest music file. Without a bound, a cue could repeat its file without end. */
const SHORTEST_MUSIC_SECONDS = 0.1;

export interface AssembleOptions {
  readonly signal?: AbortSignal;
  /** Called with 0 to 1; the value never falls. */
  readonly onProgress?: (fraction: number) => void;
  /**
   * Folder for scratch files, which take about the film's size and 23 MB per minute of sound. Default: the film's
   * folder.
   */
  readonly folder?: string;
  /** Hard-links a piece that was rendered before the assembly. Default: all pieces are rendered here. */
  readonly linkPiece?: LinkPiece;
}

/**
 * Makes a film from clips.
 *
 * Each clip becomes a piece in the film's format. Several pieces render at once. Joining them does not encode their
 * pictures again. If there are no edits and the clips are alike, the pieces are not encoded either: they copy the
 * clips' pictures. The sound is encoded once for the whole film, because packets of compressed sound do not end where
 * frames do.
 *
 * The film appears at `outPath` only when it is complete. Scratch files are removed after errors too.
 *
 * @throws FilmError; FfmpegMissingError if ffmpeg cannot draw a title or captions; the errors of `probe` and of
 *   `runFfmpeg`.
 */
export async function assemble(
  ffmpeg: Ffmpeg,
  film: FilmSpec,
  outPath: string,
  options: AssembleOptions = {},
): Promise<MediaInfo> {
  const { signal, onProgress = () => undefined, folder: parent = dirname(outPath), linkPiece } = options;
  signal?.throwIfAborted();
  const plan = planFilm(film, await probeClips(film));
  const filmSeconds = toSeconds(plan.frames, plan.format.frameRate);

  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, '.film-'));
  try {
    onProgress(0);
    const pieces = await renderPieces(ffmpeg, film, plan, {
      folder,
      signal,
      linkPiece,
      onProgress: (fraction) => {
        onProgress(fraction * PIECES_SHARE);
      },
    });
    const job = await prepareJoin(film, plan, pieces, folder);
    return await writeThroughPart(outPath, async (part) => {
      await runFfmpeg(ffmpeg, joinArguments(job, part), {
        ...(signal && { signal }),
        bounds: renderBounds(filmSeconds),
        onProgress: (seconds) => {
          onProgress(PIECES_SHARE + (1 - PIECES_SHARE) * Math.min(1, seconds / filmSeconds));
        },
      });
      const info = await checkFilm(part, filmSeconds);
      onProgress(1);
      return info;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function probeClips({ clips }: FilmSpec): Promise<readonly Source[]> {
  if (clips.length === 0) throw new FilmError('A film needs at least one clip');
  const sources: Source[] = [];
  for (const { path, chapter } of clips) {
    const info = await probe(path);
    if (info.kind !== 'video') throw new FilmError(`"${chapter}" is not a video, but ${info.mediaType}: ${path}`);
    sources.push({ path, info });
  }
  return sources;
}

/** Writes the lists and texts that the join reads. */
async function prepareJoin(
  film: FilmSpec,
  plan: FilmPlan,
  pieces: readonly string[],
  folder: string,
): Promise<JoinJob> {
  const { frameRate } = plan.format;
  const durationSeconds = toSeconds(plan.frames, frameRate);
  const write = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };

  const subtitles = subtitleText(film, plan);
  return {
    durationSeconds,
    pieceList: await write(
      'pieces.txt',
      pieces.map((path, index) => listEntry(path, toSeconds(plan.pieces[index]?.frames ?? 0, frameRate))).join(''),
    ),
    metadataFile: await write('metadata.txt', metadataText(film, plan)),
    subtitleFile: subtitles && (await write('subtitles.srt', subtitles)),
    subtitleLanguage: film.subtitlesLanguage === undefined ? undefined : languageCode(film.subtitlesLanguage),
    music: await prepareMusic(film, plan, write),
  };
}

/** Returns the audible cues. Writes a list for ffmpeg per cue: the music file, as often as the cue plays it. */
async function prepareMusic(
  film: FilmSpec,
  plan: FilmPlan,
  write: (name: string, text: string) => Promise<string>,
): Promise<JoinJob['music']> {
  const inputs: MusicInput[] = [];
  for (const [index, cue] of cuesOf(film, plan).entries()) {
    const info = await probe(cue.path);
    const seconds = info.durationSeconds ?? 0;
    if (seconds < SHORTEST_MUSIC_SECONDS)
      throw new FilmError(`The music in ${cue.path} is too short, or its length is unknown`);
    const placed = placeCue(cue, seconds, film, plan);
    if (placed === undefined) continue;
    inputs.push({ ...placed, list: await write(`music-${index}.txt`, listEntry(cue.path).repeat(placed.times)), info });
  }
  return inputs;
}

async function checkFilm(path: string, plannedSeconds: number): Promise<MediaInfo> {
  const info = await probe(path);
  const seconds = info.durationSeconds ?? 0;
  if (info.kind !== 'video' || Math.abs(seconds - plannedSeconds) > LENGTH_TOLERANCE_SECONDS) {
    throw new FilmError(
      `The film is ${info.kind} of ${seconds.toFixed(2)} s and should be video of ${plannedSeconds.toFixed(2)} s`,
    );
  }
  return info;
}
