import { type SheetJoint } from './contents';
import { html, type Html } from './html';
import { picture } from './picture';

/** Half the meter's width, in percent or levels of colour. Larger values are drawn at its end. */
const SCALE = 60;

/** A link of a chain: the last frame of one shot, the first of the next, and the chain's drift. */
export function joint({ from, frames, drift }: SheetJoint): Html {
  const [left, come] = frames;
  return html`<section class="joint" aria-label="Link from ${from}">
    <figure>
      ${picture(left, `Last frame of ${from}`)}
      <figcaption>${from} ends</figcaption>
    </figure>
    <figure>
      ${picture(come, 'First frame of this shot')}
      <figcaption>this shot starts</figcaption>
    </figure>
    ${
      drift === null
        ? null
        : html`<div class="${drift.warning ? 'drift past' : 'drift'}">
            <p>off ${drift.first}</p>
            ${meter('brightness', drift.brightnessPercent, `${signed(drift.brightnessPercent)} %`)}
            ${meter('contrast', drift.contrastPercent, `${signed(drift.contrastPercent)} %`)}
            ${meter('colour', drift.colorDistance, drift.colorDistance.toFixed(0))}
          </div>`
    }
  </section>`;
}

/** A bar from the middle. It goes to the right if the value is higher than in the chain's first shot. */
function meter(name: string, value: number, words: string): Html {
  const length = Math.min(SCALE, Math.abs(value));
  return html`<div class="meter">
    <span>${name}</span>
    <svg viewBox="${-SCALE} 0 ${2 * SCALE} 8" preserveAspectRatio="none" aria-hidden="true">
      <path d="M${-SCALE} 4H${SCALE}M0 0V8" />
      <rect x="${(value < 0 ? -length : 0).toFixed(1)}" y="2" width="${length.toFixed(1)}" height="4" />
    </svg>
    <span>${words}</span>
  </div>`;
}

function signed(percent: number): string {
  const whole = percent.toFixed(0);
  return percent >= 0.5 ? `+${whole}` : whole.replace('-0', '0');
}
