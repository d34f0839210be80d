import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilmSpec } from '../film';
import type { FilmFormat, FilmPlan, Piece } from '../film-plan';
import type { Ffmpeg } from '../find-ffmpeg';
import { type CaptionSpan, captionSpans } from './captions';
import { CAPITALS, drawLine, drawnLines, LETTER_WIDTH, LINE_HEIGHT, needDrawtext } from './drawn-text';

/** Letters as large as this part of the frame's shorter side, where the caption fits. */
const LARGEST_LETTERS = 1 / 18;

/** Letters get smaller by this factor until the caption fits, or they are this high. */
const SHRINK = 0.9;
const SMALLEST_LETTERS = 8;

/** Part of the frame's width that a line may take, of its height that all lines may, and where the last one stands. */
const LINE_WIDTH = 0.86;
const MOST_HEIGHT = 0.3;
const LAST_BASELINE = 0.93;

/** A caption as it is set. */
export interface SetCaption {
  readonly letters: number;
  readonly lines: readonly string[];
}

/** The captions that are to be drawn into a film's picture; none where it has a track of them. */
export function burntSpans(film: FilmSpec, plan: FilmPlan): readonly CaptionSpan[] {
  return film.captions === 'burnt' ? captionSpans(film, plan) : [];
}

/**
 * Sets the captions at the bottom of the frame. The result gives the filters that draw those of a piece over it.
 *
 * @throws FfmpegMissingError where this ffmpeg was built without the means to draw text.
 */
export async function setCaptions(
  ffmpeg: Ffmpeg,
  spans: readonly CaptionSpan[],
  format: FilmFormat,
  folder: string,
): Promise<(piece: Piece) => readonly string[]> {
  if (spans.length === 0) return () => [];
  needDrawtext(ffmpeg, 'the captions');
  const captions = spans.map((span, number) => {
    const set = setCaption(span.text, format);
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

/** The lines of a caption and the height of their letters: as large as fits. */
export function setCaption(text: string, { width, height }: FilmFormat): SetCaption {
  const paragraphs = drawnLines(text);
  const set = (letters: number): SetCaption => ({
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

/** Breaks a line between words, and a word that is longer than a line wherever that ends. */
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
  { letters, lines }: SetCaption,
  index: number,
  { height }: FilmFormat,
  [first, last]: readonly [number, number],
): string {
  const above = (lines.length - 1 - index) * LINE_HEIGHT * letters;
  return drawLine(file, {
    fontsize: letters,
    borderw: Math.max(1, Math.round(letters / 14)),
    bordercolor: 'black@0.85',
    // From the baseline, so that lines keep their distance whatever letters they hold.
    y: `${Math.round(height * LAST_BASELINE - above - ((1 - CAPITALS) / 2) * letters)}-ascent`,
    enable: `'between(n,${first},${last})'`,
  });
}
