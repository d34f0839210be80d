import { readFileSync } from 'node:fs';
import { FfmpegMissingError, findFfmpeg, type Ffmpeg } from '../find-ffmpeg';

/** Mean width of the font's letters, as a share of the font size. */
export const LETTER_WIDTH = 0.58;

/** Height of the font's capitals, as a share of the font size. */
export const CAPITALS = 0.72;

export const LINE_HEIGHT = 1.3;

/** Last code point of the Basic Multilingual Plane. `cmap` ends with it. The font has no letter beyond the plane. */
const LAST_IN_PLANE = 0xffff;

/** @throws FfmpegMissingError if this ffmpeg cannot draw text. */
export function requireDrawtext(ffmpeg: Ffmpeg, what: string): void {
  if (ffmpeg.filters.has('drawtext')) return;
  throw new FfmpegMissingError(`ffmpeg at "${ffmpeg.path}" cannot draw ${what}: it has no filter drawtext.`);
}

/** True if ffmpeg can draw text into films. Also true if ffmpeg is missing, which other checks report. */
export async function canDrawText(ffmpegPath: string | undefined): Promise<boolean> {
  const ffmpeg = await findFfmpeg({ ffmpegPath }).catch(() => undefined);
  return ffmpeg?.filters.has('drawtext') ?? true;
}

/**
 * A filter that draws a line of text. The text is read from a file and not expanded, so its characters cannot act as
 * filter syntax.
 *
 * @param options of drawtext, with values that are already escaped for a filter graph.
 */
export function drawLine(textFile: string, options: Readonly<Record<string, string | number>>): string {
  const all = {
    fontfile: escapeValue(fontFile()),
    textfile: escapeValue(textFile),
    expansion: 'none',
    fontcolor: 'white',
    x: '(w-text_w)/2',
    ...options,
  };
  return `drawtext=${Object.entries(all)
    .map(([name, value]) => `${name}=${value}`)
    .join(':')}`;
}

/** The lines of a text as they are drawn: composed letters, without control characters. */
export function drawnLines(text: string): readonly string[] {
  return text
    .normalize('NFC')
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => line.replace(/\p{Cc}/gu, ' ').trim())
    .filter((line) => line !== '');
}

/** The characters of a text that the font lacks, each once. */
export function missingLetters(text: string): readonly string[] {
  letters ??= lettersOf(readFileSync(fontFile()));
  const known = letters;
  return [...new Set(drawnLines(text).join(''))].filter((letter) => !known.has(letter.codePointAt(0) ?? 0));
}

let letters: ReadonlySet<number> | undefined;

/** Path of the font Manrope, which covers Latin, Greek, Cyrillic and Vietnamese. */
function fontFile(): string {
  return require.resolve('@expo-google-fonts/manrope/600SemiBold/Manrope_600SemiBold.ttf');
}

/** Reads the code points from a font's `cmap` table. Source: OpenType, "cmap", format 4. */
function lettersOf(font: Buffer): ReadonlySet<number> {
  const tables = Array.from({ length: font.readUInt16BE(4) }, (_, index) => 12 + 16 * index);
  const record = tables.find((at) => font.toString('latin1', at, at + 4) === 'cmap') ?? 0;
  const cmap = font.readUInt32BE(record + 8);
  const subtables = Array.from({ length: font.readUInt16BE(cmap + 2) }, (_, index) => {
    return cmap + font.readUInt32BE(cmap + 4 + 8 * index + 4);
  });
  const known = new Set<number>();
  for (const at of subtables.filter((one) => font.readUInt16BE(one) === 4)) {
    const ends = at + 14;
    const size = font.readUInt16BE(at + 6);
    for (let segment = 0; segment < size; segment += 2) {
      const last = Math.min(font.readUInt16BE(ends + segment), LAST_IN_PLANE - 1);
      for (let code = font.readUInt16BE(ends + size + 2 + segment); code <= last; code += 1) known.add(code);
    }
  }
  return known;
}

/**
 * Escapes a value once for its filter and once for the graph. Source: ffmpeg-filters, "Notes on filtergraph escaping".
 */
function escapeValue(value: string): string {
  return value.replace(/[\\':]/g, '\\$&').replace(/[\\'[\],;]/g, '\\$&');
}
