import type { FilmSpec } from './film';
import { toSeconds, type FilmPlan } from './film-plan';

/** The time in the film that belongs to each shot, in seconds; from where it is first seen to where the next one is. */
function shotTimes({ pieces, frames, format }: FilmPlan): readonly { readonly start: number; readonly end: number }[] {
  return pieces.map(({ shotFrame }, index) => ({
    start: toSeconds(shotFrame, format.frameRate),
    end: toSeconds(pieces[index + 1]?.shotFrame ?? frames, format.frameRate),
  }));
}

/** The film's title, and a chapter for each shot, in ffmpeg's own metadata format. */
export function metadataText(spec: FilmSpec, plan: FilmPlan): string {
  const chapters = shotTimes(plan).map(({ start, end }, index) =>
    [
      '[CHAPTER]',
      'TIMEBASE=1/1000',
      `START=${Math.round(start * 1000)}`,
      `END=${Math.round(end * 1000)}`,
      `title=${escapeMetadata(spec.clips[index]?.chapter ?? '')}`,
    ].join('\n'),
  );
  return [';FFMETADATA1', `title=${escapeMetadata(spec.metadataTitle)}`, ...chapters, ''].join('\n');
}

/** The captions as SubRip; undefined where there are none to show. */
export function subtitleText(spec: FilmSpec, plan: FilmPlan): string | undefined {
  const cues = shotTimes(plan).flatMap(({ start, end }, index) => {
    const caption = cueText(spec.clips[index]?.caption ?? '');
    return caption === '' ? [] : [`${index + 1}\n${timestamp(start)} --> ${timestamp(end)}\n${caption}\n`];
  });
  return spec.subtitles && cues.length > 0 ? cues.join('\n') : undefined;
}

function escapeMetadata(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[=;#\\]/g, '\\$&');
}

/** A blank line would end the cue, and braces would style it. */
function cueText(caption: string): string {
  return caption
    .split(/\s*[\r\n]+\s*/)
    .filter((line) => line !== '')
    .join('\n')
    .replace(/\{/g, '(')
    .replace(/\}/g, ')')
    .trim();
}

/** `00:01:02,345` */
function timestamp(seconds: number): string {
  return new Date(Math.round(seconds * 1000)).toISOString().slice(11, 23).replace('.', ',');
}
