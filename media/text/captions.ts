import type { FrozenCaption } from '../../contracts/render/frozen';
import type { FilmSpec } from '../film';
import type { FilmPlan, FrameRate } from '../film-plan';

export interface CaptionSpan {
  readonly text: string;
  readonly startFrame: number;
  /** The first frame after the caption. */
  readonly endFrame: number;
}

/** The frames of each shot: from its first visible frame until the next shot becomes visible or the film ends. */
export function shotSpans({
  pieces,
  frames,
}: FilmPlan): readonly { readonly startFrame: number; readonly endFrame: number }[] {
  return pieces.map(({ shotFrame }, index) => ({
    startFrame: shotFrame,
    endFrame: pieces[index + 1]?.shotFrame ?? frames,
  }));
}

/**
 * All captions of a film in order. A caption is cut off at the end of its shot. It is left out if nothing remains or it
 * is blank.
 */
export function captionSpans({ clips }: Pick<FilmSpec, 'clips'>, plan: FilmPlan): readonly CaptionSpan[] {
  const spans = shotSpans(plan).flatMap(({ startFrame, endFrame }, index) =>
    timedCaptions(clips[index]?.caption).map(({ text, from, to }) => ({
      text,
      startFrame: startFrame + frameAt(from, plan.format.frameRate),
      endFrame: Math.min(endFrame, startFrame + frameAt(to, plan.format.frameRate)),
    })),
  );
  return spans.filter(({ startFrame, endFrame, text }) => startFrame < endFrame && text.trim() !== '');
}

/** A caption without times lasts as long as its shot. */
function timedCaptions(caption: FrozenCaption | undefined): Exclude<FrozenCaption, string> {
  if (caption === undefined) return [];
  return typeof caption === 'string' ? [{ text: caption, from: 0, to: Infinity }] : caption;
}

function frameAt(seconds: number, { numerator, denominator }: FrameRate): number {
  return Math.round((seconds * numerator) / denominator);
}
