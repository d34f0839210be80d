import { type Assembly, type CueInFile, type FilmPointInFile } from '../../../contracts/file/assembly';
import { type CheckedAssembly, type CheckedCue, type CheckedMusic } from '../checked-production';
import { type FilmTimes } from './check-transitions';
import { readLocation } from '../file-source';
import { type Finding, type Path, wrongValue } from '../../wording/finding';
import { type LookInto, wrongKind } from '../local-files';
import { anyOf, didYouMean, shown } from '../../wording/phrases';

/** Default volume in decibels relative to the file's level. It leaves room for the shots' own sound. */
const MUSIC_VOLUME_DB = -12;

/** All cues are inputs of one ffmpeg command, which opens all inputs at once. */
const MOST_CUES = 64;

interface MusicContext {
  readonly folder: string;
  readonly lookInto: LookInto;
}

export interface MusicCheck {
  readonly music: CheckedAssembly['music'];
  readonly findings: readonly Finding[];
}

const PLACE: Path = ['assembly', 'music'];

/** Checks the music's files, and the positions of its cues in the film. */
export async function checkMusic(
  entry: Assembly['music'],
  film: FilmTimes,
  context: MusicContext,
): Promise<MusicCheck> {
  if (entry === undefined) return { music: undefined, findings: [] };
  if (!Array.isArray(entry)) {
    const [written, place] = typeof entry === 'string' ? [{ file: entry }, PLACE] : [entry, [...PLACE, 'file']];
    const music = await checkedFile(written, place, context);
    return 'message' in music ? { music: undefined, findings: [music] } : { music, findings: [] };
  }
  if (entry.length > MOST_CUES) {
    const message = `there are ${entry.length} pieces of music; at most ${MOST_CUES} are allowed: join some into one file`;
    return { music: undefined, findings: [wrongValue(PLACE, message)] };
  }
  const cues: CheckedCue[] = [];
  const findings: Finding[] = [];
  for (const [index, cue] of entry.entries()) {
    const file = await checkedFile(cue, [...PLACE, index, 'file'], context);
    if ('message' in file) findings.push(file);
    else cues.push(checkedCue(cue, file));
    findings.push(...cueFindings(cue, [...PLACE, index], film));
  }
  return { music: cues, findings };
}

/** Errors in the times of a cue. Skips comparisons that need a clip of unknown length. */
function cueFindings(
  { from, to, fadeIn = 0, fadeOut = 0 }: CueInFile,
  place: Path,
  film: FilmTimes,
): readonly Finding[] {
  const points = [['from', from] as const, ...(to === undefined ? [] : [['to', to] as const])];
  const unknown = points.flatMap(([key, point]) => unknownShot(point, [...place, key], film));
  if (unknown.length > 0) return unknown;
  const [start, end] = [secondsOf(from, film), to === undefined ? null : secondsOf(to, film)];
  if (start !== null && film.seconds !== null && start >= film.seconds) {
    const message = `the music begins at ${number(start)} s, and the film lasts about ${number(film.seconds)} s; begin it sooner, or with a shot: { startOf: shot }`;
    return [wrongValue([...place, 'from'], message)];
  }
  if (to !== undefined && (isBackwards(from, to, film) || (start !== null && end !== null && end <= start))) {
    const message = `the music begins ${inWords(from)} and ends ${inWords(to)}; it must end after it begins`;
    return [wrongValue([...place, 'to'], message)];
  }
  if (start === null || end === null || fadeIn + fadeOut <= end - start) return [];
  const message = `its fades take ${number(fadeIn + fadeOut)} s, and the music lasts ${number(end - start)} s; make them shorter`;
  return [wrongValue([...place, fadeIn > fadeOut ? 'fadeIn' : 'fadeOut'], message)];
}

function unknownShot(point: FilmPointInFile, place: Path, { shots }: FilmTimes): readonly Finding[] {
  if (typeof point === 'number') return [];
  const [key, shot] = 'startOf' in point ? ['startOf', point.startOf] : ['endOf', point.endOf];
  const ids = shots.map(({ id }) => id);
  if (ids.includes(shot)) return [];
  const hint = didYouMean(shot, ids) || ` It must be ${anyOf(ids)}.`;
  return [wrongValue([...place, key], `${shown(shot)} is no shot of the film.${hint}`)];
}

/** Compares the order of shots only, not their lengths. */
function isBackwards(from: FilmPointInFile, to: FilmPointInFile, { shots }: FilmTimes): boolean {
  if (typeof from === 'number' || typeof to === 'number') return false;
  const joint = (point: Exclude<FilmPointInFile, number>): number =>
    'startOf' in point
      ? shots.findIndex(({ id }) => id === point.startOf)
      : shots.findIndex(({ id }) => id === point.endOf) + 1;
  return joint(to) <= joint(from);
}

/** The time of a point in the film; null if it depends on a clip of unknown length. */
function secondsOf(point: FilmPointInFile, { shots, seconds }: FilmTimes): number | null {
  if (typeof point === 'number') return point;
  const index = shots.findIndex(({ id }) => id === ('startOf' in point ? point.startOf : point.endOf));
  if ('startOf' in point) return shots[index]?.startSeconds ?? null;
  const next = shots[index + 1];
  return next === undefined ? seconds : next.startSeconds;
}

function inWords(point: FilmPointInFile): string {
  if (typeof point === 'number') return `at ${number(point)} s`;
  return 'startOf' in point ? `where ${shown(point.startOf)} starts` : `where ${shown(point.endOf)} ends`;
}

/** Seconds, rounded to hundredths to hide binary fractions. */
function number(seconds: number): string {
  return String(Math.round(seconds * 100) / 100);
}

function checkedCue({ from, to, fadeIn, fadeOut }: CueInFile, file: CheckedMusic): CheckedCue {
  return {
    ...file,
    from,
    ...(to === undefined ? {} : { to }),
    ...(fadeIn === undefined ? {} : { fadeInSeconds: fadeIn }),
    ...(fadeOut === undefined ? {} : { fadeOutSeconds: fadeOut }),
  };
}

async function checkedFile(
  { file: written, volumeDb = MUSIC_VOLUME_DB }: { readonly file: string; readonly volumeDb?: number | undefined },
  place: Path,
  { folder, lookInto }: MusicContext,
): Promise<CheckedMusic | Finding> {
  const refused = (message: string): Finding => wrongValue(place, message);
  const file = readLocation(written, folder);
  if ('message' in file) return refused(file.message);
  if (file.kind !== 'local') return refused(`${shown(written)} is an address; music must be a file on this machine`);
  const found = await lookInto(file);
  const message = 'message' in found ? found.message : wrongKind(file, found.info, 'audio');
  return message === undefined ? { file, volumeDb } : refused(message);
}
