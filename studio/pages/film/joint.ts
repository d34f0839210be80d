import { html, type Html } from '../../../client/contact-sheet/html';
import { type ManifestDrift } from '../../../contracts/manifest';
import { assetAddress } from '../../server/serve-asset';
import { type FilmView, type ShotView } from '../../views/film-view';

/** Seconds before and after a cut that are looped. */
const LOOP_SECONDS = 1.5;

/**
 * For a shot that starts on another shot's last frame: both sides of the cut, and the drift of the shot's colors. Null
 * for other shots, and if one of the two shots has no clip.
 */
export function jointShown(film: FilmView, view: ShotView): Html | null {
  const from = film.shots.find(({ id }) => id === view.startsOn);
  const [before, after] = [from?.shown, view.shown];
  if (from === undefined || before?.asset == null || after?.asset == null) return null;
  const frames = [before.lastFrame, after.firstFrame] as const;
  return html`<section aria-labelledby="joint-title" class="joint">
    <h2 id="joint-title">The cut from ${from.id}</h2>
    <joint-loop
      data-before="${assetAddress(before.asset)}"
      data-after="${assetAddress(after.asset)}"
      ${before.lastFrame === null ? null : html`data-before-frame="${assetAddress(before.lastFrame)}"`}
      ${after.firstFrame === null ? null : html`data-after-frame="${assetAddress(after.firstFrame)}"`}
      data-seconds="${LOOP_SECONDS}"
    >
      <div class="sides">
        ${frames.map(
          (frame, side) =>
            html`<figure>
              ${frame === null ? html`<span class="no-picture">no frame</span>` : html`<img src="${assetAddress(frame)}" alt="" loading="lazy" />`}
              <figcaption>${side === 0 ? `last frame of ${from.id}` : `first frame of ${view.id}`}</figcaption>
            </figure>`,
        )}
      </div>
    </joint-loop>
    ${view.entry.drift === null ? null : driftShown(view.entry.drift)}
  </section>`;
}

function driftShown({
  first,
  brightnessPercent,
  contrastPercent,
  colorDistance,
  warning,
  expected,
  anchorHelps,
}: ManifestDrift): Html {
  return html`<dl class="drift">
      <div>
        <dt>Light</dt>
        <dd>${signed(brightnessPercent)} against ${first}</dd>
      </div>
      <div>
        <dt>Contrast</dt>
        <dd>${signed(contrastPercent)}</dd>
      </div>
      <div>
        <dt>Colour</dt>
        <dd>${Math.round(colorDistance)} levels of 255</dd>
      </div>
    </dl>
    ${warning ? html`<p class="alarm">The shot has drifted visibly. ${anchorHelps ? 'With anchor: true in the file, the frame that the shot starts on is corrected.' : ''}</p>` : null}
    ${expected === true ? html`<p>The file says that the drift is intended.</p>` : null}`;
}

function signed(percent: number): string {
  const rounded = Math.round(percent);
  return `${rounded > 0 ? '+' : ''}${rounded} %`;
}
