import { html, type Html } from '../../../client/contact-sheet/html';
import { completedTakes } from '../../../contracts/commands';
import { type PageRequest } from '../../server/page';
import { assetAddress } from '../../server/serve-asset';
import { type FilmView, type ShotView, type TakeView } from '../../views/film-view';
import {
  button,
  commandShown,
  creditsShown,
  hidden,
  type KeyShown,
  outputShown,
  shotPath,
  stateShown,
  timeShown,
} from '../parts';

export const TAKE_KEYS: readonly KeyShown[] = [
  [['Space'], 'play or stop all takes'],
  [['J', 'L'], 'back, forward by a second'],
  [[',', '.'], 'back, forward by a frame'],
  [['1', '9'], 'show the take of this number large; press again for all takes'],
  [['C'], 'choose the large take'],
];

/** All takes of a shot, side by side. A script plays them in sync. */
export function takesShown(film: FilmView, view: ShotView, { token }: PageRequest): Html {
  return html`<take-wall class="takes">
    ${view.takes.map(
      (take) =>
        html`<figure id="take-${take.take}" class="${take.isChosen ? 'take chosen' : 'take'}" data-take="${take.take}">
          ${outputShown(take, `Take ${take.take} of ${view.id}`)}
          <figcaption>
            <b>Take ${take.take}</b> ${take.isChosen ? html`<span class="mark">chosen</span>` : null}
            ${stateShown(take.state)} <span>${creditsShown(take.credits)}</span> <span>${timeShown(take.at)}</span>
            ${take.warnings.map((warning) => html`<span class="alarm">${warning}</span>`)} ${framesShown(take)}
            ${ownPromptShown(view, take)} ${answersShown(film, view, take, token)}
          </figcaption>
        </figure>`,
    )}
  </take-wall>`;
}

function framesShown({ asset, firstFrame, lastFrame, take }: TakeView): Html | null {
  if (asset === null) return null;
  const ending = assetAddress(asset).split('.').at(-1) ?? '';
  return html`<span class="links">
    ${firstFrame === null ? null : html`<a href="${assetAddress(firstFrame)}">First frame</a>`}
    ${lastFrame === null ? null : html`<a href="${assetAddress(lastFrame)}">Last frame</a>`}
    <a href="${assetAddress(asset)}?download=take-${take}.${ending}">Download</a>
  </span>`;
}

/** The prompt of a take, if the shot's takes have different prompts. */
export function ownPromptShown({ takes }: Pick<ShotView, 'takes'>, { prompt }: TakeView): Html | null {
  const prompts = new Set(takes.map((take) => take.prompt?.trim()));
  return prompts.size < 2 || prompt === null ? null : html`<p class="prompt">${prompt}</p>`;
}

/**
 * The button that approves a take in review, or chooses it instead of another take. In review, only takes of the shot's
 * present request can be approved. Takes of earlier requests can be chosen.
 */
export function answersShown(
  { id }: Pick<FilmView, 'id'>,
  { id: shotId, status }: ShotView,
  take: TakeView,
  token: PageRequest['token'],
  next = '',
): Html | null {
  if (take.state !== 'completed') return null;
  const path = shotPath(id, shotId);
  if (status.state === 'review' && completedTakes(status).includes(take.take)) {
    const fields = html`${hidden('take', String(take.take))}${hidden('next', next)}`;
    return html`${button(`${path}/approve`, token, { label: `Approve take ${take.take}`, how: 'main', fields })}
    ${commandShown(`dailies approve ${id} ${shotId} --take ${take.take}`)}`;
  }
  if (take.isChosen && status.state !== 'review') return null;
  return html`${button(`${path}/choose`, token, { label: `Choose take ${take.take}`, fields: html`${hidden('take', String(take.take))}${hidden('next', next)}` })}
  ${commandShown(`dailies choose ${id} ${shotId} ${take.take}`)}`;
}
