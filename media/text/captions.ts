import type { FrozenCaption } from '../../contracts/frozen';
import type { FilmSpec } from '../film';
import type { FilmPlan, FrameRate } from '../film-plan';

/** A caption in its place in the film. */
export interface CaptionSpan {
  readonly text: string;
  /** First frame of the film with it, and the first after it. */
  readonly startFrame: number;
  readonly endFrame: number;
}

/** The frames of the film that belong to each shot: from where it is first seen to where the next one is. */
export function shotSpans({
  pieces,
  frames,
}: FilmPlan): readonly { readonly startFrame: number; readonly endFrame: number }[] {
  return pieces.map(({ shotFrame }, index) => ({
    startFrame: shotFrame,
    endFrame: pieces[index + 1]?.shotFrame ?? frames,
  }));
}

/** All captions of a film in their order. What is past the end of its shot is cut off; a caption of no length is left out. */
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

/** A caption without times stands as long as its shot. */
function timedCaptions(caption: FrozenCaption | undefined): Exclude<FrozenCaption, string> {
  if (caption === undefined) return [];
  return typeof caption === 'string' ? [{ text: caption, from: 0, to: Infinity }] : caption;
}

function frameAt(seconds: number, { numerator, denominator }: FrameRate): number {
  return Math.round((seconds * numerator) / denominator);
}
