import { CaptionInFile } from '../../../contracts/file/assembly';
import { missingLetters } from '../../../media/text/drawn-text';
import { type ShotCheck } from './shot-check';
import { type Finding, type Path, wrongValue } from '../../wording/finding';
import { anyOf, shown } from '../../wording/phrases';

/** Each line of a burnt caption is an ffmpeg filter. One command of limited length has all filters of a clip. */
const MOST_CAPTIONS = 32;

/** A longer text cannot be read during a shot, and its letters would be too small. */
const MOST_BURNT_CHARACTERS = 300;

/** A shot's caption; undefined if it is absent or invalid. The schema check reports an invalid caption. */
export function writtenCaption({ caption }: Readonly<Record<string, unknown>>): CaptionInFile | undefined {
  return CaptionInFile.safeParse(caption).data;
}

/**
 * Errors in the number and the times of a shot's captions.
 *
 * @param clipSeconds null if the clip's length is not known in advance.
 */
export function captionFindings(written: unknown, clipSeconds: number | null): readonly Finding[] {
  const captions = CaptionInFile.safeParse(written).data;
  if (captions === undefined || typeof captions === 'string') return [];
  if (captions.length > MOST_CAPTIONS) {
    const message = `the shot has ${captions.length} captions; allowed are at most ${MOST_CAPTIONS}: join some of them`;
    return [wrongValue(['caption'], message)];
  }
  return captions.flatMap(({ from, to }, index) => {
    const wrong = (key: string, message: string): Finding => wrongValue(['caption', index, key], message);
    const before = captions[index - 1];
    return [
      ...(to <= from ? [wrong('to', `the caption ends at ${to} s; it must end after it begins, at ${from} s`)] : []),
      ...(before !== undefined && from < before.to
        ? [
            wrong(
              'from',
              `the caption begins at ${from} s, and the one before it ends at ${before.to} s; captions must be in order and must not overlap: begin at ${before.to} s or later`,
            ),
          ]
        : []),
      ...(clipSeconds !== null && to > clipSeconds
        ? [
            wrong(
              'to',
              `the caption ends at ${to} s, and the clip is ${clipSeconds} s long; end the caption at ${clipSeconds} s or earlier`,
            ),
          ]
        : []),
    ];
  });
}

/** Errors for captions that cannot be drawn into the picture. */
export function burntFindings(shots: readonly Pick<ShotCheck, 'written' | 'path'>[]): readonly Finding[] {
  return shots.flatMap(({ written, path }) => {
    const caption = writtenCaption(written);
    if (caption === undefined) return [];
    if (typeof caption === 'string') {
      return drawingFindings(caption, [...path, 'caption'], 'make it a list of { text, from, to }');
    }
    return caption.flatMap(({ text }, index) => drawingFindings(text, [...path, 'caption', index, 'text'], 'split it'));
  });
}

/** @param remedy for a text that is too long. */
function drawingFindings(text: string, path: Path, remedy: string): readonly Finding[] {
  const missing = missingLetters(text).map(shown);
  return [
    ...(missing.length > 0
      ? [
          wrongValue(
            path,
            `burnt captions cannot show ${anyOf(missing)}: their font has only Latin, Greek and Cyrillic letters; use other letters, or use a subtitle track (captions: track)`,
          ),
        ]
      : []),
    ...(text.length > MOST_BURNT_CHARACTERS
      ? [
          wrongValue(
            path,
            `the caption has ${text.length} characters; burnt ones have at most ${MOST_BURNT_CHARACTERS}: ${remedy}`,
          ),
        ]
      : []),
  ];
}
