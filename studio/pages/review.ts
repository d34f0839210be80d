import { html, type Html } from '../../client/contact-sheet/html';
import { fewAtOnce, ifReadable } from '../../store';
import { type PageRequest, type PageRoute, type Section } from '../server/page';
import { type Studio } from '../server/studio';
import { type FilmView, filmView, type ShotView, statusOf } from '../views/film-view';
import { type KeyShown, keysShown, outputShown, posterShown, shotPath, timeShown, reasonShown } from './parts';
import { recentVersion } from '../views/recent-version';
import { retakeForm } from './film/shot';
import { answersShown, ownPromptShown } from './film/takes';

export const review: Section = { pages: [inbox()], actions: [] };

/**
 * The page of all shots that wait for an approval or a decision, in all unfinished productions of the account. Single
 * tasks, and rows of batches that are single tasks, are not shown.
 */
function inbox(): PageRoute {
  return {
    path: '/review',
    async show(studio, request) {
      const films = await waitingFilms(studio);
      const items = films.flatMap((film) => film.shots.filter(isWaiting).map((shot) => ({ film, shot })));
      return { title: 'Review', body: items.length === 0 ? nothingWaits() : inboxShown(items, request) };
    },
    version: (studio) => recentVersion(studio, '/review', async () => JSON.stringify(await waitingProductions(studio))),
  };
}

function isWaiting({ status }: Pick<ShotView, 'status'>): boolean {
  return status.review !== null || status.parked !== null;
}

/**
 * The id of each production with waiting shots, and the statuses of its waiting shots as JSON. Productions whose status
 * cannot be read are left out; `dailies audit` reports them.
 */
async function waitingProductions(studio: Studio): Promise<readonly (readonly [string, string])[]> {
  const { client } = studio.dailies;
  const ids = await client.productions.interrupted(studio.account);
  const productions = await fewAtOnce(ids, async (id) => {
    const { shots = [] } = (await ifReadable(() => statusOf(studio, id)))?.value ?? {};
    const waiting = shots.filter((status) => isWaiting({ status }));
    return waiting.length === 0 ? [] : [[id, JSON.stringify(waiting)] as const];
  });
  return productions.flat();
}

async function waitingFilms(studio: Studio): Promise<readonly FilmView[]> {
  const ids = (await waitingProductions(studio)).map(([id]) => id);
  const films = await Promise.all(ids.map((id) => ifReadable(() => filmView(studio, id))));
  return films.flatMap((film) => film?.value ?? []);
}

interface Item {
  readonly film: FilmView;
  readonly shot: ShotView;
}

export function inboxShown(items: readonly Item[], request: PageRequest): Html {
  return html`<h1>Review</h1>
    <p class="facts"><span>${items.length} ${items.length === 1 ? 'shot waits' : 'shots wait'} for you</span></p>
    ${keysShown(KEYS)}
    <review-inbox>${items.map((item) => itemShown(item, request))}</review-inbox>`;
}

const KEYS: readonly KeyShown[] = [
  [['N', 'P'], 'next, previous shot'],
  [['K'], 'play or stop'],
  [['J', 'L'], 'back, forward by a second'],
  [[',', '.'], 'back, forward by a frame'],
  [['1', '9'], 'show the take of this number large'],
  [['A'], 'approve the take shown large, or the chosen one'],
  [['R'], 'change the prompt and take it again'],
  [['Enter'], 'on a shot that waits for a decision: see the answers'],
];

/** The element id is unique: it joins the production's and the shot's id by a slash, which neither contains. */
function itemShown({ film, shot }: Item, { token }: PageRequest): Html {
  const { id, status, prompt } = shot;
  const since = status.review?.since ?? status.parked?.since;
  const heading = html`<h2><a href="${shotPath(film.id, id)}">${film.status.title}: ${id}</a></h2>
    ${since === undefined ? null : html`<p class="facts"><span>since ${timeShown(since)}</span></p>`}`;
  if (status.review === null) {
    return html`<article class="item" id="item-${film.id}/${id}" tabindex="-1">
      ${heading}
      <p class="reason">${reasonShown(status.reason ?? 'It waits for a decision.')}</p>
      ${posterShown(shot.shown, '')}
      <p><a class="main" href="${shotPath(film.id, id)}">Decide</a></p>
    </article>`;
  }
  const takes = shot.takes.filter(({ state, asset }) => state === 'completed' && asset !== null);
  return html`<article class="item" id="item-${film.id}/${id}" tabindex="-1">
    ${heading}
    <take-wall class="takes">
      ${takes.map(
        (take) =>
          html`<figure class="take${take.isChosen ? ' chosen' : ''}" data-take="${take.take}">
            ${outputShown(take, `Take ${take.take} of ${id}`)}
            <figcaption>
              <b>Take ${take.take}</b> ${take.isChosen ? html`<span class="mark">chosen</span>` : null}
              ${ownPromptShown(shot, take)} ${answersShown(film, shot, take, token, '/review')}
            </figcaption>
          </figure>`,
      )}
    </take-wall>
    ${prompt === null ? null : html`<p class="prompt">${prompt}</p>`}
    <details class="reject">
      <summary>Take it again</summary>
      ${retakeForm(film.id, shot, token, '/review')}
    </details>
  </article>`;
}

function nothingWaits(): Html {
  return html`<div class="empty">
    <h1>Review</h1>
    <p>
      Nothing waits for you. A shot waits here if its file says <code>review: true</code>, or if it needs your decision.
    </p>
    <p><a class="plain" href="/">All films</a></p>
  </div>`;
}
