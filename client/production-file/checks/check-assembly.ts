import { type Assembly } from '../../../contracts/file/assembly';
import { type FrozenOutput } from '../../../contracts/render/frozen';
import { canonicalLanguage } from '../../../contracts/file/languages';
import { type Output } from '../../../contracts/file/production';
import { type CheckedAssembly, type CheckedShot } from '../checked-production';
import { drawnLines, missingLetters } from '../../../media/text/drawn-text';
import { MOST_TITLE_LINES } from '../../../media/text/title';
import { burntFindings } from './check-captions';
import { type ShotCheck } from './shot-check';
import { checkMusic } from './check-music';
import { filmTimes, transitionFindings, transitionOf } from './check-transitions';
import { type Finding, type Path, wrongValue } from '../../wording/finding';
import { anyOf, shown } from '../../wording/phrases';
import { type LookInto } from '../local-files';

/** Default duration of a title, enough to read two lines. */
const TITLE_SECONDS = 3;

const FILM_FILE = 'film.mp4';

const NO_DRAWTEXT = wrongValue(
  ['assembly', 'captions'],
  'captions cannot be burnt in: the ffmpeg of this machine has no filter drawtext; install another (FFMPEG_PATH names one), or write captions: track',
);

const NO_TITLE_DRAWN = wrongValue(
  ['assembly', 'title'],
  'the title cannot be drawn: the ffmpeg of this machine has no filter drawtext; ' +
    'install another (FFMPEG_PATH names one), or write title: false',
);

export interface AssemblyCheck {
  readonly assembly: CheckedAssembly;
  readonly findings: readonly Finding[];
}

/** Checks the assembly against the shots. */
export async function checkAssembly(
  entry: Assembly,
  shots: readonly ShotCheck[],
  title: string,
  context: {
    readonly folder: string;
    readonly lookInto: LookInto;
    readonly hasCaptions: boolean;
    readonly drawsText: () => Promise<boolean>;
  },
): Promise<AssemblyCheck> {
  const transition = transitionOf(entry.transition ?? 'cut');
  const { music, findings: musicFindings } = await checkMusic(entry.music, filmTimes(transition, shots), context);
  const shownTitle = titleOf(entry, title);
  const findings = [
    ...(makesFilm(shots) ? titleFindings(shownTitle?.text ?? '', titlePath(entry)) : []),
    ...transitionFindings(transition, shots),
    ...musicFindings,
    ...(entry.captions === 'burnt' ? burntFindings(shots) : []),
    ...(entry.captions === 'burnt' && context.hasCaptions && !(await context.drawsText()) ? [NO_DRAWTEXT] : []),
    ...(shownTitle !== undefined && makesFilm(shots) && !(await context.drawsText()) ? [NO_TITLE_DRAWN] : []),
  ];
  return {
    findings,
    assembly: {
      transition,
      ...(music === undefined ? {} : { music }),
      ...(shownTitle === undefined ? {} : { title: shownTitle }),
      ...subtitlesOf(entry, context.hasCaptions),
      ...(entry.captions === 'burnt' ? { captions: 'burnt' as const } : {}),
    },
  };
}

/**
 * The film's file, picture size and frame rate. If `entry` has neither resolution nor aspect ratio, the size is left
 * out. If it has only one of them, the other comes from the first video shot, else it is 1080p or 16:9.
 */
export function checkedOutput(entry: Output, first: CheckedShot['parameters']): FrozenOutput {
  const { file = FILM_FILE, frameRate } = entry;
  const size = entry.resolution === undefined && entry.aspectRatio === undefined ? undefined : sizeOf(entry, first);
  return { file, ...size, ...(frameRate === undefined ? {} : { frameRate }) };
}

/** Refuses an output with only a resolution or aspect ratio if the first video shot's other value cannot be read. */
export function outputFindings(entry: Output, first: CheckedShot['parameters']): readonly Finding[] {
  if ((entry.resolution === undefined) === (entry.aspectRatio === undefined)) return [];
  const ask = (missing: string, written: unknown, example: string): Finding =>
    wrongValue(
      ['output'],
      `output has no ${missing}, and the film's size cannot be read from ${shown(written)}, the ${missing} of the ` +
        `first video shot; add one, as ${missing}: ${example}`,
    );
  return [
    ...(linesOf(entry, first) === undefined ? [ask('resolution', first['resolution'], '1080p')] : []),
    ...(ratioOf(entry, first) === undefined ? [ask('aspectRatio', first['aspectRatio'], "'16:9'")] : []),
  ];
}

function makesFilm(shots: readonly ShotCheck[]): boolean {
  return shots.some(({ model }) => model?.output === 'video');
}

function titleOf({ title = false }: Assembly, production: string): CheckedAssembly['title'] {
  if (title === false) return undefined;
  if (title === true) return { text: production, seconds: TITLE_SECONDS };
  return typeof title === 'string'
    ? { text: title, seconds: TITLE_SECONDS }
    : { text: title.text, seconds: title.seconds ?? TITLE_SECONDS };
}

/** The path of the text that is shown as the title. */
function titlePath({ title }: Assembly): Path {
  if (typeof title !== 'object') return title === true ? ['title'] : ['assembly', 'title'];
  return ['assembly', 'title', 'text'];
}

function titleFindings(text: string, path: Path): readonly Finding[] {
  const lines = drawnLines(text).length;
  const most = `the film's title has ${lines} lines and may have at most ${MOST_TITLE_LINES}; join some of them`;
  const missing = missingLetters(text).map(shown);
  const letters =
    `the film's title cannot show ${anyOf(missing)}: its font has only Latin, Greek and Cyrillic letters; ` +
    'use other letters';
  return [
    ...(lines > MOST_TITLE_LINES ? [wrongValue(path, most)] : []),
    ...(missing.length > 0 ? [wrongValue(path, letters)] : []),
  ];
}

function subtitlesOf(
  { subtitles, captions }: Assembly,
  hasCaptions: boolean,
): Pick<CheckedAssembly, 'subtitles' | 'subtitlesLanguage'> {
  if (typeof subtitles !== 'object') return { subtitles: subtitles ?? (hasCaptions && captions !== 'burnt') };
  const subtitlesLanguage = canonicalLanguage(subtitles.language);
  return { subtitles: true, ...(subtitlesLanguage === undefined ? {} : { subtitlesLanguage }) };
}

function sizeOf(entry: Output, first: CheckedShot['parameters']): { width: number; height: number } {
  // `outputFindings` has refused what cannot be read.
  const lines = linesOf(entry, first) ?? 1080;
  const ratio = ratioOf(entry, first) ?? 16 / 9;
  return ratio >= 1
    ? { width: even(lines * ratio), height: even(lines) }
    : { width: even(lines), height: even(lines / ratio) };
}

/** The film's shorter side in pixels. Undefined if the shot's resolution is in an unknown form, such as 4K. */
function linesOf(entry: Output, first: CheckedShot['parameters']): number | undefined {
  const lines = /^(\d+)p?$/i.exec(entry.resolution ?? textOr('1080p', first['resolution']))?.[1];
  return lines === undefined || Number(lines) === 0 ? undefined : Number(lines);
}

/** Width divided by height. Undefined if the shot's aspect ratio is in an unknown form, such as portrait. */
function ratioOf(entry: Output, first: CheckedShot['parameters']): number | undefined {
  const proportions = entry.aspectRatio ?? textOr('16:9', first['aspectRatio']);
  const [, wide, high] = /^([\d.]+) ?: ?([\d.]+)$/.exec(proportions === 'adaptive' ? '16:9' : proportions) ?? [];
  const ratio = Number(wide) / Number(high);
  return ratio > 0 && Number.isFinite(ratio) ? ratio : undefined;
}

function textOr(fallback: string, value: unknown): string {
  return typeof value === 'string' ? value : fallback;
}

/** 4:2:0 video needs even sides. */
function even(pixels: number): number {
  return 2 * Math.round(pixels / 2);
}
