import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilmFormat } from './film-plan';
import { FfmpegMissingError, type Ffmpeg } from './find-ffmpeg';

/** How long a title takes to appear, and to go again, at most; in seconds. */
const FADE_SECONDS = 0.8;

/** Letters as large as this part of the frame's height, where the title fits. */
const LARGEST_LETTERS = 1 / 9;

/** Part of the frame's width that a line may take; the rest is what broadcasters call title safe. */
const LINE_WIDTH = 0.8;

/** Mean width of the font's letters, in their height. */
const LETTER_WIDTH = 0.58;

/** Height of the font's capitals, in the height of its letters. */
const CAPITALS = 0.72;

const LINE_HEIGHT = 1.3;
const MOST_LINES = 3;

/** Characters above which a title is broken into lines. */
const LONG_LINE = 26;

/** A title ready to be drawn. */
export interface Title {
  readonly seconds: number;
  /** Filters that draw it over a piece which starts `startSeconds` into the film. */
  readonly filters: (startSeconds: number) => readonly string[];
}

/**
 * Sets a title in the middle of the frame, in up to three lines.
 *
 * Each line goes to ffmpeg by a file of its own, so that no character in it can be taken for a filter's syntax.
 *
 * @throws FfmpegMissingError where this ffmpeg was built without the means to draw text.
 */
export async function setTitle(
  ffmpeg: Ffmpeg,
  { text, seconds }: { readonly text: string; readonly seconds: number },
  format: FilmFormat,
  folder: string,
): Promise<Title> {
  if (!ffmpeg.filters.has('drawtext')) {
    throw new FfmpegMissingError(`ffmpeg at "${ffmpeg.path}" cannot draw the title: it has no filter drawtext.`);
  }
  const lines = breakLines(text).slice(0, MOST_LINES);
  const longest = Math.max(1, ...lines.map((line) => line.length));
  const letters = Math.round(
    Math.min(format.height * LARGEST_LETTERS, (format.width * LINE_WIDTH) / (longest * LETTER_WIDTH)),
  );
  const files = lines.map((_line, index) => join(folder, `title-${index}.txt`));
  await Promise.all(lines.map((line, index) => writeFile(files[index] ?? '', line)));

  return {
    seconds,
    filters: (startSeconds) => files.map((file, index) => drawLine(file, index, startSeconds)),
  };

  function drawLine(file: string, index: number, startSeconds: number): string {
    const fade = Math.min(FADE_SECONDS, seconds / 3);
    const now = `(t+${startSeconds})`;
    const fromMiddle = (index - (lines.length - 1) / 2) * LINE_HEIGHT + CAPITALS / 2;
    const baseline = Math.round(format.height / 2 + fromMiddle * letters);
    const options = {
      fontfile: escapeValue(fontFile()),
      textfile: escapeValue(file),
      expansion: 'none',
      fontsize: letters,
      fontcolor: 'white',
      shadowcolor: 'black@0.6',
      shadowx: Math.ceil(letters / 24),
      shadowy: Math.ceil(letters / 24),
      x: '(w-text_w)/2',
      // From the baseline, so that lines keep their distance whatever letters they hold.
      y: `${baseline}-ascent`,
      alpha: `'clip(min(${now}/${fade},(${seconds}-${now})/${fade}),0,1)'`,
      enable: `'lt(${now},${seconds})'`,
    };
    return `drawtext=${Object.entries(options)
      .map(([name, value]) => `${name}=${value}`)
      .join(':')}`;
  }
}

/** Manrope covers Latin, Greek, Cyrillic and Vietnamese. */
function fontFile(): string {
  return require.resolve('@expo-google-fonts/manrope/600SemiBold/Manrope_600SemiBold.ttf');
}

/** Breaks a title at its own line ends, and where it is long between words, into lines of about the same length. */
function breakLines(text: string): readonly string[] {
  const paragraphs = text
    .split(/[\r\n]+/)
    .map((line) => line.replace(/\p{Cc}/gu, ' ').trim())
    .filter((line) => line !== '');
  if (paragraphs.length > 1) return paragraphs;
  const words = (paragraphs[0] ?? '').split(/\s+/).filter((word) => word !== '');
  const characters = words.join(' ').length;
  const width = characters / Math.min(MOST_LINES, Math.ceil(characters / LONG_LINE));
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length / 2 < width) lines.splice(-1, 1, `${last} ${word}`);
    else lines.push(word);
  }
  return lines;
}

/** Escapes a value once for its filter and once for the graph. Source: ffmpeg-filters, "Notes on filtergraph escaping". */
function escapeValue(value: string): string {
  return value.replace(/[\\':]/g, '\\$&').replace(/[\\'[\],;]/g, '\\$&');
}
