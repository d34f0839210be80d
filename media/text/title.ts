import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilmFormat } from '../film-plan';
import type { Ffmpeg } from '../find-ffmpeg';
import { CAPITALS, drawLine, drawnLines, LETTER_WIDTH, LINE_HEIGHT, requireDrawtext } from './drawn-text';

/** Longest fade-in and fade-out of a title, in seconds. */
const FADE_SECONDS = 0.8;

/** Largest letters, as a share of the frame's height. */
const LARGEST_LETTERS = 1 / 9;

/** Longest line, as a share of the frame's width: the title-safe area of broadcasting. */
const LINE_WIDTH = 0.8;

/** Maximum height of all lines together, as a share of the frame's height. Many lines get smaller letters. */
const LINES_HEIGHT = 0.8;

/** Maximum number of lines of a title. With more, the letters would be too small to read. */
export const MOST_TITLE_LINES = 8;

/** A long title of one line is broken into up to this many lines of similar length, or more if its words are long. */
const LINES_OF_LONG_TITLE = 3;

/** Number of characters above which a title is broken into lines. */
const LONG_LINE = 26;

export interface Title {
  readonly seconds: number;
  /** Filters that draw the title over a piece that starts `startSeconds` into the film. */
  readonly filters: (startSeconds: number) => readonly string[];
}

/**
 * Places a title in the middle of the frame. The check of production files refuses titles of more than
 * `MOST_TITLE_LINES` lines; further lines are not drawn here.
 *
 * @throws FfmpegMissingError if this ffmpeg cannot draw text.
 */
export async function layOutTitle(
  ffmpeg: Ffmpeg,
  { text, seconds }: { readonly text: string; readonly seconds: number },
  format: FilmFormat,
  folder: string,
): Promise<Title> {
  requireDrawtext(ffmpeg, 'the title');
  const lines = breakLines(text).slice(0, MOST_TITLE_LINES);
  const longest = Math.max(1, ...lines.map((line) => line.length));
  const letters = Math.round(
    Math.min(
      format.height * Math.min(LARGEST_LETTERS, LINES_HEIGHT / (lines.length * LINE_HEIGHT)),
      (format.width * LINE_WIDTH) / (longest * LETTER_WIDTH),
    ),
  );
  const files = lines.map((_line, index) => join(folder, `title-${index}.txt`));
  await Promise.all(lines.map((line, index) => writeFile(files[index] ?? '', line)));

  return {
    seconds,
    filters: (startSeconds) => files.map((file, index) => titleLine(file, index, startSeconds)),
  };

  function titleLine(file: string, index: number, startSeconds: number): string {
    const fade = Math.min(FADE_SECONDS, seconds / 3);
    const now = `(t+${startSeconds})`;
    const fromMiddle = (index - (lines.length - 1) / 2) * LINE_HEIGHT + CAPITALS / 2;
    const baseline = Math.round(format.height / 2 + fromMiddle * letters);
    return drawLine(file, {
      fontsize: letters,
      shadowcolor: 'black@0.6',
      shadowx: Math.ceil(letters / 24),
      shadowy: Math.ceil(letters / 24),
      // Measured from the baseline, so that the distance between lines does not depend on their letters.
      y: `${baseline}-ascent`,
      alpha: `'clip(min(${now}/${fade},(${seconds}-${now})/${fade}),0,1)'`,
      enable: `'lt(${now},${seconds})'`,
    });
  }
}

/**
 * Breaks a title at its own line ends. A long title of one line is broken between words into lines of similar length.
 */
function breakLines(text: string): readonly string[] {
  const paragraphs = drawnLines(text);
  if (paragraphs.length > 1) return paragraphs;
  const words = (paragraphs[0] ?? '').split(/\s+/).filter((word) => word !== '');
  const characters = words.join(' ').length;
  const width = characters / Math.min(LINES_OF_LONG_TITLE, Math.ceil(characters / LONG_LINE));
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length / 2 < width) lines.splice(-1, 1, `${last} ${word}`);
    else lines.push(word);
  }
  return lines;
}
