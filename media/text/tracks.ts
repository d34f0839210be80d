import type { FilmSpec } from '../film';
import { toSeconds, type FilmPlan } from '../film-plan';
import { captionSpans, shotSpans } from './captions';

/** The film's title, and a chapter for each shot, in ffmpeg's metadata format. */
export function metadataText(spec: FilmSpec, plan: FilmPlan): string {
  const { frameRate } = plan.format;
  const chapters = shotSpans(plan).map(({ startFrame, endFrame }, index) =>
    [
      '[CHAPTER]',
      'TIMEBASE=1/1000',
      `START=${Math.round(toSeconds(startFrame, frameRate) * 1000)}`,
      `END=${Math.round(toSeconds(endFrame, frameRate) * 1000)}`,
      `title=${escapeMetadata(spec.clips[index]?.chapter ?? '')}`,
    ].join('\n'),
  );
  return [';FFMETADATA1', `title=${escapeMetadata(spec.metadataTitle)}`, ...chapters, ''].join('\n');
}

/** The captions as SubRip; undefined if there are none, or if the film has no subtitles. */
export function subtitleText(spec: FilmSpec, plan: FilmPlan): string | undefined {
  const { frameRate } = plan.format;
  const cues = captionSpans(spec, plan).map(({ text, startFrame, endFrame }, index) => {
    const [start, end] = [startFrame, endFrame].map((frame) => timestamp(toSeconds(frame, frameRate)));
    return `${index + 1}\n${start} --> ${end}\n${cueText(text)}\n`;
  });
  return spec.subtitles && cues.length > 0 ? cues.join('\n') : undefined;
}

function escapeMetadata(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[=;#\\]/g, '\\$&');
}

/**
 * A caption without SubRip syntax. A blank line would end the cue, and braces would style it. ffmpeg also interprets
 * tags, and backslash codes such as `\N`, unless they contain an invisible word joiner.
 */
function cueText(caption: string): string {
  return caption
    .split(/\s*[\r\n]+\s*/)
    .filter((line) => line !== '')
    .join('\n')
    .replace(/\{/g, '(')
    .replace(/\}/g, ')')
    .replace(/\\(?=\S)|<(?=[a-z/])/gi, '$&\u2060')
    .trim();
}

/** Formats as `00:01:02,345`. */
function timestamp(seconds: number): string {
  return new Date(Math.round(seconds * 1000)).toISOString().slice(11, 23).replace('.', ',');
}
