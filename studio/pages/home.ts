import { html, type Html } from '../../client/contact-sheet/html';
import { createExpectedEnd } from '../../client/plan/expected-end';
import { type Listing, listAll } from '../../client/dailies/list-all';
import { type ManifestExpected } from '../../contracts/manifest';
import { chosenTakeOf, waitsForPeople } from '../../contracts/status';
import { type PageRoute, type Section } from '../server/page';
import { assetAddress } from '../server/serve-asset';
import { type Studio } from '../server/studio';
import { creditsShown, expectedShown, productionPath, stateShown, timesShown, reasonShown } from './parts';
import { storeForPage } from '../views/film-view';
import { expectedEndOf } from '../views/batch-view';
import { recentVersion } from '../views/recent-version';
import { ifTemporalAnswers } from '../views/if-temporal-answers';

/** Maximum number of frames that the list shows for a film. */
const FRAMES_MAX = 6;

export const home: Section = { pages: [homePage()], actions: [] };

function homePage(): PageRoute {
  return {
    path: '/',
    async show(studio) {
      const all = await Promise.all(
        (await listings(studio))
          .toSorted((a, b) => rankOf(a) - rankOf(b))
          .map((listing) => withExpected(studio, listing)),
      );
      return {
        title: 'Films',
        body:
          all.length === 0
            ? nothingYet()
            : html`<h1>Films</h1>
                ${listShown(all)}`,
      };
    },
    version: (studio) =>
      recentVersion(studio, '/', async () =>
        JSON.stringify(
          (await listings(studio)).map(({ listed: { state, reason, credits, batch }, status }) => [
            ...[state, reason, credits, batch],
            status?.shots.map(({ state: shotState, parked, review }) => [shotState, parked !== null, review !== null]),
          ]),
        ),
      ),
  };
}

/** `expected` is null if nothing runs, or if the end cannot be estimated. */
interface Entry extends Listing {
  readonly expected: ManifestExpected | null;
}

async function withExpected(studio: Studio, listing: Listing): Promise<Entry> {
  const { dailies, account } = studio;
  const { listed, status } = listing;
  if (status !== undefined) return { ...listing, expected: await createExpectedEnd(dailies.store, account)(status) };
  const isBatch = listed.batch !== undefined && listed.state === 'running';
  return { ...listing, expected: isBatch ? await expectedEndOf(studio, listed.production) : null };
}

async function listings(studio: Studio): Promise<readonly Listing[]> {
  const { dailies, account, config } = studio;
  const { client } = dailies;
  const options = { store: storeForPage(studio), account, prices: config.prices ?? {} };
  return (
    (await ifTemporalAnswers(studio, () => listAll({ ...options, client }))) ??
    listAll({ ...options, client: undefined })
  );
}

/** Productions that wait for a person come first, then other running productions and batches, then the rest. */
function rankOf({ listed: { state }, status }: Listing): number {
  if (status !== undefined && waitingShots(status).length > 0) return 0;
  return state === 'running' ? 1 : 2;
}

function waitingShots({ state, shots }: NonNullable<Listing['status']>): readonly string[] {
  if (state !== 'running') return [];
  return shots.flatMap(({ id, parked, review }) => (parked === null && review === null ? [] : [id]));
}

function listShown(all: readonly Entry[]): Html {
  const nowMs = Date.now();
  return html`<ul class="films">
    ${all.map((entry) => html`<li id="film-${entry.listed.production}">${entryShown(entry, nowMs)}</li>`)}
  </ul>`;
}

function entryShown({ listed, status, expected }: Entry, nowMs: number): Html {
  const { production, title, state, reason, credits, batch } = listed;
  const waiting = status === undefined ? [] : waitingShots(status);
  const path = batch === undefined ? productionPath(production) : `/batches/${encodeURIComponent(production)}`;
  const isStuck = status !== undefined && waitsForPeople(status);
  return html`<a class="film${waiting.length === 0 ? '' : ' film-waits'}" href="${path}">
    ${framesShown(status)}
    <h2>${title ?? production}</h2>
    <p class="facts">
      ${stateShown(isStuck ? 'parked' : state)} ${batch === undefined ? progressOf(status) : rowsShown(batch)}
      <span>${creditsShown(credits.charged)}</span>
      ${credits.unclearSubmits === 0 ? null : html`<span class="alarm">${credits.unclearSubmits} unclear</span>`}
      ${status === undefined ? expectedShown(expected, nowMs) : timesShown(status, expected, nowMs)}
    </p>
    ${waiting.length === 0 ? null : html`<p class="waits">Waits for you: ${waiting.join(', ')}</p>`}
    ${reason === null || waiting.length > 0 ? null : html`<p class="reason">${reasonShown(reason)}</p>`}
  </a>`;
}

/** One picture for each of the first shots. Screen readers skip the pictures: the film's page names the shots. */
function framesShown(status: Listing['status']): Html {
  const takes = status?.shots.map((shot) => chosenTakeOf(shot) ?? shot.takes.at(-1)) ?? [];
  const frames = takes.map((take) => {
    if (take?.asset?.mediaType.startsWith('image/') === true) return take.asset;
    return take?.firstFrame ?? take?.lastFrame?.asset ?? null;
  });
  return html`<span class="frames" aria-hidden="true">
    ${frames
      .slice(0, FRAMES_MAX)
      .map((frame) =>
        frame === null
          ? html`<span class="no-picture"></span>`
          : html`<img src="${assetAddress(frame)}" alt="" loading="lazy" />`,
      )}
  </span>`;
}

function progressOf(status: Listing['status']): Html | null {
  if (status === undefined) return null;
  const done = status.shots.filter(({ state }) => state === 'completed').length;
  const all = status.shots.length;
  return html`<span
    ><progress max="${all}" value="${done}" aria-label="Completed shots"></progress> ${done} of ${all} shots</span
  >`;
}

function rowsShown({ rows, counts }: NonNullable<Listing['listed']['batch']>): Html {
  const { completed, failed } = counts;
  return html`<span>
    <progress max="${rows}" value="${completed}" aria-label="Completed rows"></progress>
    ${completed} of ${rows} rows${failed === 0 ? '' : `, ${failed} failed`}
  </span>`;
}

function nothingYet(): Html {
  return html`<div class="empty">
    <h1>No film yet</h1>
    <p>
      A production is a file that lists the shots of a film. Begin with one of the examples, or with a file of your own.
    </p>
    <p><a class="main" href="/new">New production</a></p>
  </div>`;
}
