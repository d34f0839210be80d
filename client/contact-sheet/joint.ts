import { type SheetJoint } from './contents';
import { html, type Html } from './html';
import { picture } from './picture';

/** The largest value that a meter shows, in percent or levels of colour. Larger values are drawn like this value. */
const METER_MAX = 60;

/** The cut between two shots of a chain: last frame, first frame, and the drift from the first shot of the chain. */
export function joint({ from, frames, drift }: SheetJoint): Html {
  const [left, right] = frames;
  return html`<section class="joint" aria-label="Link from ${from}">
    <figure>
      ${picture(left, `Last frame of ${from}`)}
      <figcaption>${from} ends</figcaption>
    </figure>
    <figure>
      ${picture(right, 'First frame of this shot')}
      <figcaption>this shot starts</figcaption>
    </figure>
    ${
      drift === null
        ? null
        : html`<div class="${drift.warning ? 'drift past' : 'drift'}">
            <p>drift from ${drift.first}</p>
            ${meter('brightness', drift.brightnessPercent, `${signed(drift.brightnessPercent)} %`)}
            ${meter('contrast', drift.contrastPercent, `${signed(drift.contrastPercent)} %`)}
            ${meter('colour', drift.colorDistance, drift.colorDistance.toFixed(0))}
          </div>`
    }
  </section>`;
}

/** A bar that starts in the middle, and extends to the right if the value is positive. */
function meter(name: string, value: number, words: string): Html {
  const length = Math.min(METER_MAX, Math.abs(value));
  return html`<div class="meter">
    <span>${name}</span>
    <svg viewBox="${-METER_MAX} 0 ${2 * METER_MAX} 8" preserveAspectRatio="none" aria-hidden="true">
      <path d="M${-METER_MAX} 4H${METER_MAX}M0 0V8" />
      <rect x="${(value < 0 ? -length : 0).toFixed(1)}" y="2" width="${length.toFixed(1)}" height="4" />
    </svg>
    <span>${words}</span>
  </div>`;
}

function signed(percent: number): string {
  const rounded = percent.toFixed(0);
  return percent >= 0.5 ? `+${rounded}` : rounded.replace('-0', '0');
}
