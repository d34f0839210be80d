import { html, type Html } from '../../../client/contact-sheet/html';
import { restOf } from '../../../client/plan/status-in-full';
import { exactCredits } from '../../../contracts/money/credits';
import { type ShotState } from '../../../contracts/states';
import { waitsForPeople } from '../../../contracts/status';
import { type PageRequest, type PageRoute, type Section } from '../../server/page';
import { assetAddress } from '../../server/serve-asset';
import { filmVersion, type FilmView, filmView, type ShotView, storeForPage, versionOf } from '../../views/film-view';
import { lanesOf } from '../../views/lanes';
import { playlistOf } from '../../views/playlist';
import {
  button,
  commandShown,
  creditsShown,
  elapsedShown,
  posterOf,
  posterShown,
  productionPath,
  shotPath,
  shotStateShown,
  stateInWords,
  stateShown,
  timesShown,
  timeShown,
  reasonShown,
} from '../parts';
import { type Continuation, continuationOf, continuationShown, renderAgain } from './render-again';
import { type FilmMoney, moneyShown, setBudget } from './money';
import { settlementOf } from './settlement';

export const production: Section = {
  pages: [productionPage()],
  files: [
    {
      path: '/productions/:id/manifest.json',
      async file({ dailies }, { params: { id = '' } }) {
        return { mediaType: 'application/json', body: `${JSON.stringify(await dailies.status(id), null, 2)}\n` };
      },
    },
  ],
  actions: [
    {
      path: '/productions/:id/pause',
      async act({ dailies }, { params: { id = '' }, field }) {
        await dailies.pause(id, { reason: field('reason').trim() || 'paused in the studio' });
        return { done: 'Paused. Nothing new is bought; paid takes are still collected.', to: productionPath(id) };
      },
    },
    {
      path: '/productions/:id/resume',
      async act({ dailies }, { params: { id = '' } }) {
        await dailies.resume(id);
        return { done: 'Resumed.', to: productionPath(id) };
      },
    },
    {
      path: '/productions/:id/cancel',
      async act({ dailies }, { params: { id = '' } }) {
        await dailies.cancel(id);
        return {
          done: 'Cancelled. Nothing new is bought. Paid takes are still collected, as the settlement below shows.',
          to: productionPath(id),
        };
      },
    },
    setBudget,
    renderAgain,
  ],
};

function productionPage(): PageRoute {
  return {
    path: '/productions/:id',
    async show(studio, request) {
      const store = storeForPage(studio);
      const film = await filmView(studio, request.params['id'] ?? '', store);
      const { account, quotes } = studio;
      const more = {
        rest: await restOf({ store, account, quotes: quotes() }, film.status),
        settlement: await settlementOf(studio, film),
        continuation: await continuationOf(studio, film),
      };
      return {
        title: film.status.title,
        body: filmShown({ ...film, ...more }, request, Date.now()),
        version: versionOf(film.status),
      };
    },
    exists: async ({ dailies }, { params: { id = '' } }) => (await dailies.store.productions.begun(id)) !== undefined,
    version: (studio, { params: { id = '' } }) => filmVersion(studio, id),
    showsVersion: true,
  };
}

/** A film with the parts that only its own page shows. */
interface FilmPage extends FilmMoney {
  readonly continuation: Continuation | undefined;
}

function filmShown(film: FilmPage, request: PageRequest, nowMs: number): Html {
  const { status, shots } = film;
  const completed = shots.filter((shot) => shot.status.state === 'completed').length;
  return html`<h1>${status.title}</h1>
    <p class="facts">
      ${stateShown(stateOf(film))}
      <span>
        <progress max="${shots.length}" value="${completed}" aria-label="Completed shots"></progress>
        ${completed} of ${shots.length} shots
      </span>
      ${timesShown(status, film.manifest.expected, nowMs)}
    </p>
    ${whyShown(film)}
    ${status.fromStore === true && status.state === 'running' ? html`<p class="trouble">${FROM_STORE}</p>` : null}
    <div class="film-page">
      <div class="picture">
        ${playerShown(film)}
        <section class="strip" aria-labelledby="strip-title">
          <h2 id="strip-title">Shots</h2>
          ${lanesOf(shots).map((lane) => laneShown(film, lane, nowMs))}
        </section>
      </div>
      <div class="panels">${moneyShown(film, request)} ${actionsShown(film, request)} ${downloadsShown(film)}</div>
    </div>`;
}

/** The film is assembled only when every shot is in one of these states. */
const IN_FILM: ReadonlySet<ShotState> = new Set(['completed', 'skipped']);

/** The state of the film in one word, for a person. */
export function stateOf({ status, shots }: FilmPage): string {
  if (status.paused !== undefined) return 'paused';
  if (waitsForPeople(status)) return 'parked';
  const isAssembling = status.assembly === 'running' && shots.every(({ status: { state } }) => IN_FILM.has(state));
  return status.state === 'running' && isAssembling ? 'assembling' : status.state;
}

/** The reason why the film does not continue. The reason of a pause is shown with the button that ends the pause. */
function whyShown({ status, shots }: FilmPage): Html | null {
  if (status.reason === null || status.paused !== undefined) return null;
  if (!waitsForPeople(status)) return html`<p class="reason">${reasonShown(status.reason)}</p>`;
  const inReview = shots.some((shot) => shot.status.review !== null || shot.status.parked !== null);
  return html`<p class="waits">
    ${reasonShown(status.reason)} ${inReview ? html`<a href="/review">See what waits</a>` : null}
  </p>`;
}

/** A chain is one line that scrolls. Other shots form a grid. */
function laneShown(film: FilmView, lane: readonly ShotView[], nowMs: number): Html {
  const isChain = lane.some(({ startsOn }) => startsOn !== null);
  const cards = lane.map((shot) => html`<li id="shot-${shot.id}">${cardShown(film.id, shot, nowMs)}</li>`);
  if (!isChain)
    return html`<ol class="lane">
      ${cards}
    </ol>`;
  return html`<ol class="lane chain" aria-label="Chain: each shot starts on the last frame of the one before">
    ${cards}
  </ol>`;
}

const FROM_STORE =
  'The workflow does not answer, so this page is read from the store. The store does not know which tasks are running.';

/**
 * The player of the film. Before assembly, it plays the clips, with slates for missing shots; without clips there is a
 * note. Null if the frozen production is lost or has no assembly.
 */
function playerShown(film: FilmView): Html | null {
  if (film.production?.assembly === undefined) return null;
  const { film: whole } = film.status;
  if (whole !== null) {
    const poster = film.shots.flatMap(({ shown }) => (shown === undefined ? [] : (posterOf(shown) ?? []))).at(0);
    return html`<video
      class="whole"
      src="${assetAddress(whole)}"
      ${poster === undefined ? null : html`poster="${assetAddress(poster)}"`}
      controls
      preload="none"
      playsinline
      aria-label="The film"
    ></video>`;
  }
  const playlist = playlistOf(film).map((entry) => ({ ...entry, state: stateInWords(entry.state) }));
  if (playlist.every(({ src }) => src === null)) {
    return html`<p class="no-film">There is no clip yet. The film so far plays here once there is one.</p>`;
  }
  return html`<film-so-far data-clips="${JSON.stringify(playlist)}">
    <p><a href="${playlist.find(({ src }) => src !== null)?.src ?? ''}">Play the first clip</a></p>
  </film-so-far>`;
}

function cardShown(productionId: string, shot: ShotView, nowMs: number): Html {
  const { id, number, status, entry, shown, takes } = shot;
  return html`<a class="card card-${status.state}" href="${shotPath(productionId, id)}">
    ${shown === undefined || posterOf(shown) === null ? html`<span class="no-picture" aria-hidden="true">${number}</span>` : posterShown(shown, '')}
    <span class="name"><b>${number}</b> ${id}</span>
    <span class="what">${shotStateShown(shot)} ${elapsedShown(shot, nowMs)}</span>
    <span class="what">
      ${takes.length === 0 ? 'no take yet' : `${takes.length} ${takes.length === 1 ? 'take' : 'takes'}, ${creditsShown(chargeOf(shot))}`}
      ${entry.drift?.warning === true ? html`<span class="alarm">drifts</span>` : null}
    </span>
    ${status.reason === null ? null : html`<span class="reason">${reasonShown(status.reason)}</span>`}
  </a>`;
}

function chargeOf({ takes }: ShotView): number {
  return exactCredits(takes.reduce((sum, { credits }) => sum + (credits ?? 0), 0));
}

function actionsShown(
  { id, status, manifest, continuation: standsStill }: FilmPage,
  request: PageRequest,
): Html | null {
  const again = standsStill === undefined ? null : continuationShown(id, standsStill, request);
  if (status.state !== 'running') return again;
  const { token } = request;
  const path = productionPath(id);
  const pause =
    manifest.paused === null
      ? html`${button(`${path}/pause`, token, { label: 'Pause' })}${commandShown(`dailies pause ${id}`)}`
      : html`<p>Paused since ${timeShown(manifest.paused.since)}: ${manifest.paused.reason}</p>
          ${button(`${path}/resume`, token, { label: 'Resume', how: 'spends' })}${commandShown(manifest.paused.command)}`;
  return html`${again}
    <section aria-labelledby="actions-title" class="actions">
      <h2 id="actions-title">Control</h2>
      <p><a class="plain" href="${path}/edit">Edit the production file</a></p>
      ${pause}
      <details class="reject">
        <summary>Cancel the render</summary>
        <p>Nothing new is bought. Paid takes are still collected.</p>
        ${button(`${path}/cancel`, token, { label: 'Yes, cancel it' })}${commandShown(`dailies cancel ${id}`)}
      </details>
    </section>`;
}

function downloadsShown({ id, status, manifest: { out } }: FilmView): Html {
  const { film } = status;
  const isOld = out !== null && film !== null && out.film === null;
  return html`<section aria-labelledby="downloads-title">
    <h2 id="downloads-title">Downloads</h2>
    <ul>
      ${film === null ? null : html`<li><a href="${assetAddress(film)}?download=${encodeURIComponent(`${id}.mp4`)}">The film</a></li>`}
      <li><a href="${productionPath(id)}/manifest.json">The manifest</a></li>
    </ul>
    ${isOld ? html`<p class="alarm">${out.folder} does not have this film. This command puts it there.</p>` : null}
    ${commandShown(`dailies export ${id}`)}
  </section>`;
}
