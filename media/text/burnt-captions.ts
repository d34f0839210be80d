import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilmSpec } from '../film';
import type { FilmFormat, FilmPlan, Piece } from '../film-plan';
import type { Ffmpeg } from '../find-ffmpeg';
import { type CaptionSpan, captionSpans } from './captions';
import { CAPITALS, drawLine, drawnLines, LETTER_WIDTH, LINE_HEIGHT, requireDrawtext } from './drawn-text';

/** Largest font size, as a share of the frame's shorter side. */
const LARGEST_LETTERS = 1 / 18;

/** The font size is multiplied by `SHRINK` until the caption fits, or the size is at most `SMALLEST_LETTERS` pixels. */
const SHRINK = 0.9;
const SMALLEST_LETTERS = 8;

/** Longest line, as a share of the frame's width. */
const LINE_WIDTH = 0.86;

/** Tallest caption, as a share of the frame's height. */
const MOST_HEIGHT = 0.3;

/** Bottom of the text, as a share of the frame's height. */
const LAST_BASELINE = 0.93;

/** A caption that is broken into lines. `letters` is the font size in pixels. */
export interface CaptionLayout {
  readonly letters: number;
  readonly lines: readonly string[];
}

/** The captions to draw into a film's picture; none if the film does not burn captions. */
export function burntSpans(film: FilmSpec, plan: FilmPlan): readonly CaptionSpan[] {
  return film.captions === 'burnt' ? captionSpans(film, plan) : [];
}

/**
 * Lays out captions at the bottom of the frame, and writes their lines to files in `folder`. Returns a function that
 * gives the filters for the captions of a piece.
 *
 * @throws FfmpegMissingError if there are captions and this ffmpeg cannot draw text.
 */
export async function layOutCaptions(
  ffmpeg: Ffmpeg,
  spans: readonly CaptionSpan[],
  format: FilmFormat,
  folder: string,
): Promise<(piece: Piece) => readonly string[]> {
  if (spans.length === 0) return () => [];
  requireDrawtext(ffmpeg, 'the captions');
  const captions = spans.map((span, number) => {
    const set = layOutCaption(span.text, format);
    const files = set.lines.map((_line, index) => join(folder, `caption-${number}-${index}.txt`));
    return { span, set, files };
  });
  for (const { set, files } of captions) {
    await Promise.all(files.map((file, index) => writeFile(file, set.lines[index] ?? '')));
  }
  return (piece) =>
    captions.flatMap(({ span, set, files }) => {
      const [from, to] = [span.startFrame - piece.filmFrame, span.endFrame - piece.filmFrame];
      if (to <= 0 || from >= piece.frames) return [];
      return files.map((file, index) => drawCaptionLine(file, set, index, format, [Math.max(0, from), to - 1]));
    });
}

/** Breaks a caption into lines and chooses the largest letters that fit. */
export function layOutCaption(text: string, { width, height }: FilmFormat): CaptionLayout {
  const paragraphs = drawnLines(text);
  const set = (letters: number): CaptionLayout => ({
    letters: Math.round(letters),
    lines: paragraphs.flatMap((line) =>
      wrapped(line, Math.max(1, Math.floor((width * LINE_WIDTH) / (letters * LETTER_WIDTH)))),
    ),
  });
  let letters = Math.min(width, height) * LARGEST_LETTERS;
  while (letters > SMALLEST_LETTERS && set(letters).lines.length * letters * LINE_HEIGHT > height * MOST_HEIGHT)
    letters *= SHRINK;
  return set(letters);
}

/** Breaks a line between words. A word that is longer than a line is broken anywhere. */
function wrapped(line: string, mostCharacters: number): readonly string[] {
  const words = line.split(/\s+/).flatMap((word) => {
    const letters = Array.from(word);
    const parts = Math.ceil(letters.length / mostCharacters);
    return Array.from({ length: parts }, (_, part) =>
      letters.slice(part * mostCharacters, (part + 1) * mostCharacters).join(''),
    );
  });
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= mostCharacters) lines.splice(-1, 1, `${last} ${word}`);
    else lines.push(word);
  }
  return lines;
}

function drawCaptionLine(
  file: string,
  { letters, lines }: CaptionLayout,
  index: number,
  { height }: FilmFormat,
  [first, last]: readonly [number, number],
): string {
  const above = (lines.length - 1 - index) * LINE_HEIGHT * letters;
  return drawLine(file, {
    fontsize: letters,
    borderw: Math.max(1, Math.round(letters / 14)),
    bordercolor: 'black@0.85',
    // Measured from the baseline, so that the distance between lines does not depend on their letters.
    y: `${Math.round(height * LAST_BASELINE - above - ((1 - CAPITALS) / 2) * letters)}-ascent`,
    enable: `'between(n,${first},${last})'`,
  });
}
